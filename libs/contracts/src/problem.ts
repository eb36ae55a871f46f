import type { DomainErrorKind } from '@assay/kernel';
import { z } from 'zod';

/** RFC 9457 problem details, as every error of the API is answered. */
export const ProblemDetails = z
  .object({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    code: z.string(),
    detail: z.string(),
    errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type ProblemDetails = z.infer<typeof ProblemDetails>;

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

/** Codes that have a status of their own. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = { storage_full: 507 };

/** The HTTP status of a refusal. */
export const statusOfRefusal = ({ kind, code }: { readonly kind: DomainErrorKind; readonly code: string }): number =>
  STATUS_OF_CODE[code] ?? STATUS[kind];
