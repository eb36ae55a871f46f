import type { DomainErrorKind, Problem } from '@assay/kernel';
import { z } from 'zod';
import { namedObject } from './named-object.js';

/** A problem in a request, with its location. */
export const ProblemAt = z.object({
  path: z.string().describe('where in it: keys and places with dots between; empty: all of it'),
  message: z.string().describe('what is wrong, in words'),
  line: z.int().optional().describe('of YAML: the line, from 1'),
  column: z.int().optional().describe('of YAML: the character in that line, from 1'),
});

/** RFC 9457 problem details: the body of every error response of the API. */
export const ProblemDetails = namedObject('Problem', {
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.string(),
  detail: z.string(),
  errors: z.array(ProblemAt).optional(),
  requestId: z.string().optional().describe('names the request in the logs of the service'),
});
export type ProblemDetails = z.infer<typeof ProblemDetails>;

interface PlacedIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
  /** The unknown keys, for an issue `unrecognized_keys`. */
  readonly keys?: readonly string[];
}

/** Returns the problems that a schema reports for an input, each with its path. */
export function problemsOf(issues: readonly PlacedIssue[]): Problem[] {
  return issues.flatMap(({ message, path = [], keys }) => {
    const place = path.map((segment) => String(typeof segment === 'object' ? segment.key : segment));
    if (!keys) return [{ path: place.join('.'), message }];
    return keys.map((key) => ({ path: [...place, key].join('.'), message: 'unknown field' }));
  });
}

/** Returns the problems joined into one sentence. */
export const problemsText = (problems: readonly Problem[]): string =>
  problems
    .map(({ path, message, line }) => [...(line ? [`line ${line}`] : []), ...(path ? [path] : []), message].join(': '))
    .join('; ');

/** An issue that a schema reports. Our own rules set their error code in `params.code`. */
interface SchemaIssue {
  readonly params?: unknown;
  /** The issues of an invalid key of a record. */
  readonly issues?: readonly SchemaIssue[];
}

/**
 * Returns the error code for an input that a schema rejects: the code that all issues share,
 * otherwise `validation_failed`.
 */
export function codeOfIssues(issues: readonly object[]): string {
  const [code, ...others] = new Set(issues.map((issue) => codeOf(issue)));
  return code !== undefined && others.length === 0 ? code : VALIDATION_FAILED;
}

function codeOf({ params, issues }: SchemaIssue): string {
  if (issues?.[0]) return codeOf(issues[0]);
  const isNamed = typeof params === 'object' && params !== null && 'code' in params && typeof params.code === 'string';
  return isNamed ? (params.code as string) : VALIDATION_FAILED;
}

const VALIDATION_FAILED = 'validation_failed';

const STATUS: Readonly<Record<DomainErrorKind, number>> = {
  invalid: 422,
  unauthenticated: 401,
  forbidden: 403,
  'not-found': 404,
  conflict: 409,
  'too-large': 413,
  quota: 429,
  unavailable: 503,
};

/** The codes whose status differs from that of their kind. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = {
  storage_full: 507,
  invalid_host: 400,
  too_deep: 400,
  too_many_values: 400,
  address_too_long: 414,
};

/** Returns the HTTP status of a domain error. */
export const statusOfRefusal = ({ kind, code }: { readonly kind: DomainErrorKind; readonly code: string }): number =>
  STATUS_OF_CODE[code] ?? STATUS[kind];
