import { STATUS_CODES } from 'node:http';
import { type Client, createClient } from '@assay/api-client/fetch/client';
import { CommandFailure } from '../command-failure.js';
import { EXIT_CODES } from '../exit-codes.js';
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
    EXIT_CODES.unreachable,
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
  return new CommandFailure(exitCodeOf(status), code, sentence, { status, ...(errors.length > 0 && { errors }) });
}

function problemOf(body: string): Problem {
  try {
    return (JSON.parse(body) as Problem | null) ?? {};
  } catch {
    return {};
  }
}

function exitCodeOf(status: number): CommandFailure['exitCode'] {
  if (status < 500) return EXIT_CODES.refused;
  return status >= 502 && status <= 504 ? EXIT_CODES.unreachable : EXIT_CODES.unexpected;
}
