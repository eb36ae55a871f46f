import { STATUS_CODES } from 'node:http';
import { type Client, createClient } from '@assay/api-client/fetch/client';
import { CommandFailure } from '../command-failure.js';
import type { Server } from './server.js';

/** A connection to one server, which the functions of `@assay/api-client/fetch` take as `client`. */
export type Api = Client;

/** Connects to a server. Any response other than a success is thrown as a CommandFailure. */
export function connect({ url, token }: Server): Api {
  const api = createClient({
    baseUrl: url,
    fetch: reachingFetch,
    // regardless of the content type, which a proxy can change
    parseAs: 'json',
    throwOnError: true,
    ...(token !== undefined && { headers: { authorization: `Bearer ${token}` } }),
  });
  api.interceptors.response.use(async (response) => {
    if (response.ok) return response;
    throw refusalOf(response.status, await response.text());
  });
  return api;
}

/**
 * Returns the content of a successful response.
 *
 * @throws Error if the response has no body
 */
export async function contentOf<T>(answer: Promise<{ readonly data: T }>): Promise<T> {
  const { data } = await answer;
  if (isWithoutBody(data)) throw new Error('the server sent an empty response');
  return data;
}

/** Returns whether the generated client made `data` of an empty body: '' as a text, {} as JSON. */
function isWithoutBody(data: unknown): boolean {
  return data === '' || (typeof data === 'object' && data !== null && Object.keys(data).length === 0);
}

/** The query for a page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of a list. */
export interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

/**
 * Returns all items of a paginated list.
 *
 * @param ask requests the page for a query
 */
export async function allItems<T>(ask: (query: PageQuery) => Promise<{ readonly data: PageOf<T> }>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: PageOf<T> = await contentOf(ask({ limit: 200, ...(cursor !== undefined && { cursor }) }));
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}

/** The query parameters of an operation, by the generated type of its request. */
type QueryOf<Request extends { readonly query?: object }> = NonNullable<Request['query']>;

/**
 * Returns the query of an operation without the values that are undefined. Texts are sent unchecked:
 * the server reports the errors in them.
 */
export function operationQuery<Request extends { readonly query?: object }>(values: {
  readonly [Name in keyof QueryOf<Request>]?: QueryOf<Request>[Name] | string | undefined;
}): QueryOf<Request> {
  return defined(values) as QueryOf<Request>;
}

/** Returns the values without those that are undefined. */
export const defined = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>;
  };

/**
 * Calls `fetch`, and reports a server that does not answer as a CommandFailure.
 *
 * @throws CommandFailure `unreachable`
 */
export async function reachingFetch(input: string | URL | Request, options?: RequestInit): Promise<Response> {
  try {
    return await fetch(input, options);
  } catch (error) {
    if ((error as Error).name === 'AbortError') throw error;
    throw unreachable(input instanceof Request ? input.url : input, error);
  }
}

export function unreachable(address: string | URL, error: unknown): CommandFailure {
  const { cause, message } = error as Error;
  const why = (cause as NodeJS.ErrnoException | undefined)?.code ?? (cause as Error | undefined)?.message ?? message;
  const { origin } = new URL(address);
  return new CommandFailure(
    'unreachable',
    'unreachable',
    `The server at ${origin} does not answer (${why}).\nCheck that it is running, or name another server with --url or ASSAY_URL.`,
    { url: origin },
  );
}

interface Problem {
  readonly code?: string;
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}

/** Converts an error response (RFC 9457) into a CommandFailure that quotes the server. */
export function refusalOf(status: number, body: string): CommandFailure {
  const { code = 'refused', detail = body.slice(0, 500), errors = [] } = problemOf(body);
  const words = detail || `${STATUS_CODES[status] ?? 'no details'}.`;
  // the message of a single error is already part of `detail`
  const lines = errors
    .filter(({ message }) => !detail.includes(message))
    .map(({ path, message }) => `  ${path === '' ? '' : `${path}: `}${message}`);
  const hint = status === 401 && code !== 'wrong_credentials' ? ['Sign in with: assay login'] : [];
  const failed =
    status >= 500 ? `The server failed (${status}): ` : detail ? '' : `The server refused the request (${status}): `;
  const sentence = [failed + words, ...lines, ...hint].join('\n');
  return new CommandFailure(endingOf(status), code, sentence, { status, ...(errors.length > 0 && { errors }) });
}

function problemOf(body: string): Problem {
  try {
    return (JSON.parse(body) as Problem | null) ?? {};
  } catch {
    return {};
  }
}

function endingOf(status: number): CommandFailure['ending'] {
  if (status < 500) return 'refused';
  return status >= 502 && status <= 504 ? 'unreachable' : 'unexpected';
}
