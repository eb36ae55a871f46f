import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { EventSourceParserStream } from 'eventsource-parser/stream';

/** An error response of the API, with its own message. */
export class ApiRefusal extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Returns what a request found, or undefined if the response is 404. */
export function unlessMissing<T>(request: Promise<T>): Promise<T | undefined> {
  return request.catch((error: unknown) => {
    if (error instanceof ApiRefusal && error.status === 404) return undefined;
    throw error;
  });
}

export interface ApiRequest {
  readonly body?: string | Uint8Array | object;
  /** Content type of a text, of bytes or of a file. Objects are sent as JSON. */
  readonly type?: string;
  /** Path of a file that is streamed as the body. */
  readonly file?: string;
}

interface Content extends Omit<RequestInit, 'headers'> {
  readonly headers?: Readonly<Record<string, string>>;
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Size of the chunks in which a file is read, in bytes: an example image has 130 MB. */
const FILE_CHUNK = 1024 * 1024;

/** A client of the API that acts as one user. */
export class ApiClient {
  /** `address` has no trailing slash. */
  constructor(
    private readonly address: string,
    private readonly token: string,
  ) {}

  /** Returns the content of the response, which is undefined if that is empty. */
  async send<T>(method: Method, path: string, request: ApiRequest = {}): Promise<T> {
    const response = await this.fetch(method, path, request);
    const text = await response.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  /** Yields the events of a stream until it ends. */
  async *events(path: string, signal: AbortSignal): AsyncGenerator<{ readonly type: string; readonly data: unknown }> {
    const response = await this.fetch('GET', path, {}, signal);
    if (!response.body) return;
    const events = response.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream());
    for await (const { event, data } of events) yield { type: event ?? 'message', data: JSON.parse(data) as unknown };
  }

  private async fetch(method: Method, path: string, request: ApiRequest, signal?: AbortSignal): Promise<Response> {
    const { headers, ...content } = contentOf(request);
    const response = await fetch(`${this.address}/api/v1${path}`, {
      method,
      headers: { ...headers, authorization: `Bearer ${this.token}` },
      ...content,
      ...(signal && { signal }),
    });
    if (!response.ok) throw await refusalOf(response, `${method} ${path}`);
    return response;
  }
}

/** Returns the body of a request, and the headers that describe it. */
export function contentOf({ body, type, file }: ApiRequest): Content {
  if (file !== undefined) {
    const chunks = createReadStream(file, { highWaterMark: FILE_CHUNK });
    return {
      headers: { 'content-type': type ?? 'application/octet-stream', 'content-length': String(statSync(file).size) },
      body: Readable.toWeb(chunks) as ReadableStream,
      duplex: 'half',
    };
  }
  if (body === undefined) return {};
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  return {
    headers: { 'content-type': type ?? (isRaw ? 'application/octet-stream' : 'application/json') },
    body: isRaw ? (body as string) : JSON.stringify(body),
  };
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
