import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** An error response of the API, with its own message. */
export class ApiRefusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ApiRequest {
  readonly body?: string | object;
  /** Content type of a text body. Objects are sent as JSON. */
  readonly type?: string;
  /** Path of a file that is streamed as the body. */
  readonly file?: string;
}

/** Size of the chunks in which a file is read, in bytes: an example image has 130 MB. */
const FILE_CHUNK = 1024 * 1024;

/** A client of the API that acts as one user. */
export class ApiClient {
  private readonly address: string;
  private readonly token: string | undefined;

  /** `address` has no trailing slash. Without `token` the client is anonymous. */
  constructor(address: string, token?: string) {
    this.address = address;
    this.token = token;
  }

  get<T>(path: string): Promise<T> {
    return this.send<T>('GET', path);
  }

  post<T>(path: string, request: ApiRequest = {}): Promise<T> {
    return this.send<T>('POST', path, request);
  }

  patch<T>(path: string, request: ApiRequest): Promise<T> {
    return this.send<T>('PATCH', path, request);
  }

  put<T>(path: string, request: ApiRequest): Promise<T> {
    return this.send<T>('PUT', path, request);
  }

  /** Yields the events of a stream until it ends. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<{ readonly type: string; readonly data: unknown }> {
    const response = await this.fetch('GET', path, {}, signal);
    if (!response.body) return;
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event, data } of events) yield { type: event ?? 'message', data: JSON.parse(data) as unknown };
  }

  private async send<T>(method: string, path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.fetch(method, path, request);
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  private async fetch(method: string, path: string, request: ApiRequest, signal?: AbortSignal): Promise<Response> {
    const response = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: { ...(await contentHeaders(request)), ...(this.token && { authorization: `Bearer ${this.token}` }) },
      ...bodyOf(request),
      ...(signal && { signal }),
    });
    if (!response.ok) throw await refusalOf(response, `${method} ${path}`);
    return response;
  }
}

async function contentHeaders({ body, type, file }: ApiRequest): Promise<Record<string, string>> {
  if (file !== undefined) {
    return { 'content-type': type ?? 'application/octet-stream', 'content-length': String((await stat(file)).size) };
  }
  return body === undefined ? {} : { 'content-type': type ?? 'application/json' };
}

function bodyOf({ body, file }: ApiRequest): RequestInit {
  if (file !== undefined) {
    const chunks = createReadStream(file, { highWaterMark: FILE_CHUNK });
    return { body: Readable.toWeb(chunks) as ReadableStream, duplex: 'half' };
  }
  if (body === undefined) return {};
  return { body: typeof body === 'string' ? body : JSON.stringify(body) };
}

async function refusalOf(response: Response, what: string): Promise<ApiRefusal> {
  const text = await response.text();
  const problem = /json/.test(response.headers.get('content-type') ?? '') ? (JSON.parse(text) as Problem) : undefined;
  const errors = (problem?.errors ?? []).map(({ path, message }) => `\n  ${path}: ${message}`).join('');
  return new ApiRefusal(
    response.status,
    `${what}: ${problem?.detail ?? `status ${response.status}: ${text}`}${errors}`,
  );
}

interface Problem {
  readonly detail?: string;
  readonly errors?: readonly { readonly path: string; readonly message: string }[];
}
