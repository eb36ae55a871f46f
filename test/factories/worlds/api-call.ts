import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed if it is JSON, otherwise the text. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- a test reads whatever came
  readonly body: any;
}

export interface ApiRequest {
  readonly token?: string | undefined;
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | object;
  /** The path of a file that is streamed as the body. */
  readonly file?: string;
}

/** The chunk size for a streamed file, in bytes: model images have tens of megabytes. */
const FILE_CHUNK = 1024 * 1024;

/** Sends one HTTP request. Does not follow redirects. */
export async function apiCall(url: string, method: string, request: ApiRequest = {}): Promise<ApiAnswer> {
  const { token, headers } = request;
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...contentHeaders(request),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...headers,
    },
    ...bodyOf(request),
  });
  const text = await response.text();
  const isJson = /\/(?:problem\+)?json/.test(response.headers.get('content-type') ?? '') && text !== '';
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
}

const isRaw = (body: unknown): body is string | Uint8Array => typeof body === 'string' || body instanceof Uint8Array;

function contentHeaders({ type, body, file }: ApiRequest): Record<string, string> {
  if (file !== undefined) {
    return { 'content-type': type ?? 'application/octet-stream', 'content-length': String(statSync(file).size) };
  }
  if (body === undefined) return {};
  return { 'content-type': type ?? (isRaw(body) ? 'application/octet-stream' : 'application/json') };
}

function bodyOf({ body, file }: ApiRequest): RequestInit {
  if (file !== undefined) {
    const chunks = createReadStream(file, { highWaterMark: FILE_CHUNK });
    return { body: Readable.toWeb(chunks) as ReadableStream, duplex: 'half' };
  }
  if (body === undefined) return {};
  return { body: isRaw(body) ? (body as string) : JSON.stringify(body) };
}
