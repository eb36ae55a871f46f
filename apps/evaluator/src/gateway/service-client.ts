import { LEASE_LOST } from '@assay/contracts/gateway';
import { Logger } from '@nestjs/common';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { PROTOCOL } from './protocol.js';
import { Retries } from './retries.js';
import { LeaseLost, ServiceError } from './service-error.js';

/** Seconds without a byte of the response after which an attempt ends. */
const SILENT_SECONDS = 30;
/** The slowest useful rate of an upload, in bytes per second. */
const SLOWEST_UPLOAD = 50_000;
const LONGEST_DETAIL = 1000;

const Problem = z.object({ code: z.string(), detail: z.string().optional() });

export interface ServiceRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path below the routes of evaluators, with its query; empty: the registration. */
  readonly path: string;
  /** An object is sent as JSON, bytes are sent as JSON lines. */
  readonly body?: object | Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Seconds without a byte of the response after which an attempt ends; default: 30. */
  readonly silentSeconds?: number;
}

/** A response whose body is read as it comes. */
export interface OpenResponse {
  readonly status: number;
  /** @throws ServiceError, or the reason of the signal */
  readonly chunks: AsyncIterable<Buffer>;
}

/**
 * Sends the requests of an evaluator to the service. No error and no log line contains the token.
 * Every method throws a `ServiceError`, a `LeaseLost`, or the reason of its signal.
 */
export class ServiceClient {
  private readonly logger = new Logger(ServiceClient.name);
  /** The address of the API. */
  private readonly api: string;
  /** The time of the last successful response, on the monotonic clock. */
  private answeredAt = -Infinity;
  private isReachable = true;

  /** @param url the address of the service, such as https://assay.example.org */
  constructor(
    url: string,
    private readonly token: string,
  ) {
    this.api = `${url.replace(/\/+$/, '')}/api/v1`;
  }

  /** Sends a request, and parses the response. Retries transient failures until `signal` aborts. */
  async request<T>(request: ServiceRequest, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const retries = new Retries(signal);
    for (;;) {
      try {
        return await this.requestOnce(request, schema, signal);
      } catch (error) {
        await retries.after(error);
      }
    }
  }

  /** Sends a request whose response has no content. Retries transient failures until `signal` aborts. */
  async send(request: ServiceRequest, signal: AbortSignal): Promise<void> {
    await this.request(request, z.unknown(), signal);
  }

  /** Sends a request once, and parses the response. */
  async requestOnce<T>(request: ServiceRequest, schema: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const silence = new Silence(request);
    try {
      const response = await this.fetch(request, signal, silence);
      return this.parsed(request, schema, await response.text());
    } catch (error) {
      throw this.failure(request, error, signal);
    } finally {
      silence.stop();
    }
  }

  /** Sends a request once, and returns the response without its body. */
  async open(request: ServiceRequest, signal: AbortSignal): Promise<OpenResponse> {
    const silence = new Silence(request);
    try {
      const response = await this.fetch(request, signal, silence);
      return { status: response.status, chunks: this.chunks(request, response, { signal, silence }) };
    } catch (error) {
      throw this.failure(request, error, signal);
    } finally {
      silence.stop();
    }
  }

  /**
   * Opens a WebSocket, whose events the caller handles.
   * @param path below `/api/v1`
   * @param maxPayload the most bytes of a message that the service sends
   */
  webSocket(path: string, maxPayload: number): WebSocket {
    const address = `${this.api.replace(/^http/, 'ws')}${path}?protocol=${PROTOCOL}`;
    return new WebSocket(address, { headers: this.authorization, maxPayload, perMessageDeflate: false });
  }

  /** @throws Error if the service has not answered for `seconds` */
  expectAnswer(seconds: number): Promise<void> {
    if (performance.now() - this.answeredAt <= seconds * 1000) return Promise.resolve();
    return Promise.reject(new Error(`The service has not answered for ${seconds} s.`));
  }

  private get authorization(): Readonly<Record<string, string>> {
    return { authorization: `Bearer ${this.token}` };
  }

  private async fetch(request: ServiceRequest, signal: AbortSignal, silence: Silence): Promise<Response> {
    const { method, path, body, headers } = request;
    const isLines = body instanceof Uint8Array;
    silence.start();
    const response = await fetch(`${this.api}/evaluator${path}`, {
      method,
      headers: {
        ...this.authorization,
        ...(body && { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' }),
        ...headers,
      },
      ...(body && { body: isLines ? body : JSON.stringify(body) }),
      signal: AbortSignal.any([signal, silence.signal]),
      // a redirected POST would become a GET
      redirect: 'manual',
    });
    if (!response.ok) throw await refusal(request, response);
    this.answered();
    return response;
  }

  private async *chunks(
    request: ServiceRequest,
    response: Response,
    { signal, silence }: { readonly signal: AbortSignal; readonly silence: Silence },
  ): AsyncGenerator<Buffer> {
    const reader = (response.body as ReadableStream<Uint8Array<ArrayBuffer>>).getReader();
    try {
      for (;;) {
        // time during which the caller does not read is not counted
        silence.start();
        const { done, value } = await reader.read();
        silence.stop();
        if (done) return;
        yield Buffer.from(value.buffer, value.byteOffset, value.byteLength);
      }
    } catch (error) {
      throw this.failure(request, error, signal);
    } finally {
      silence.stop();
      await reader.cancel().catch(() => undefined);
    }
  }

  private parsed<T>(request: ServiceRequest, schema: z.ZodType<T>, text: string): T {
    const { success, data } = schema.safeParse(jsonOrUndefined(text));
    if (success) return data;
    throw new ServiceError(`The response to ${nameOf(request)} has an unexpected form.`, 200, 'unexpected_response');
  }

  private answered(): void {
    this.answeredAt = performance.now();
    if (!this.isReachable) this.logger.log('the service answers again');
    this.isReachable = true;
  }

  /** Returns the error to throw for an error of an attempt. Logs when the service becomes unreachable. */
  private failure(request: ServiceRequest, error: unknown, signal: AbortSignal): unknown {
    if (signal.aborted) return signal.reason;
    if (error instanceof LeaseLost) return error;
    const failed = error instanceof ServiceError ? error : unreachable(request, error);
    failed.message = failed.message.replaceAll(this.token, '…');
    if (failed.isTransient && this.isReachable) {
      this.isReachable = false;
      this.logger.warn(failed.message);
    }
    return failed;
  }
}

/** Aborts an attempt that has had no byte for too long. */
class Silence {
  private readonly controller = new AbortController();
  private readonly seconds: number;
  private timer: NodeJS.Timeout | undefined;

  constructor({ silentSeconds = SILENT_SECONDS, body }: ServiceRequest) {
    this.seconds = silentSeconds + (body instanceof Uint8Array ? body.length / SLOWEST_UPLOAD : 0);
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  start(): void {
    this.stop();
    const why = new Error(`no byte within ${this.seconds.toFixed(1)} s`);
    this.timer = setTimeout(() => this.controller.abort(why), this.seconds * 1000);
  }

  stop(): void {
    clearTimeout(this.timer);
  }
}

/** The method and path of a request, for messages. */
const nameOf = ({ method, path }: ServiceRequest): string => `${method} /evaluator${path.split('?')[0]}`;

/** Parses JSON. Undefined: it is no JSON. */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns the error for a response with an error status. */
async function refusal(request: ServiceRequest, response: Response): Promise<Error> {
  const { status, headers } = response;
  const problem = Problem.safeParse(jsonOrUndefined(await response.text()));
  const { code, detail = '' } = problem.data ?? { code: 'no_problem' };
  if (code === LEASE_LOST) return new LeaseLost();
  const location = headers.get('location');
  const hint = location === null ? detail : `It redirects to ${location}. Set ASSAY_URL to the final address.`;
  const message = `The service refused ${nameOf(request)} with ${status} (${code}). ${hint.slice(0, LONGEST_DETAIL)}`;
  return new ServiceError(message.trim(), status, code, Number(headers.get('retry-after')) || 0);
}

function unreachable(request: ServiceRequest, error: unknown): ServiceError {
  const { message, cause } = error as Error & {
    readonly cause?: { readonly code?: string; readonly message?: string };
  };
  // an error of several addresses has a code, but no message
  const why = (cause?.message || cause?.code || message).replace(/\.$/, '');
  return new ServiceError(`The service cannot be reached (${nameOf(request)}): ${why}.`, null, 'unreachable');
}
