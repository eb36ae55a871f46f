import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { GrowingBytes } from '@assay/storage/bytes';
import type { InvocationLimits, InvocationOutcome } from '../sandbox.js';

/** The bytes of an error response's body that are stored to be shown. */
const shownBytes = 4096;
const informationalAnswers = 8;
/** The chunks that any answer may have, however small they are. */
const freeChunks = 4096;
/** The bytes that the other chunks of an answer have on average, at least. */
const meanChunkBytes = 16;
/** The bytes of an answer besides its body: headers, and the frames and extensions of chunks. */
const frameBytes = 131_072;
/** The first byte of every HTTP response. Node's parser accepts those of RTSP and ICE as well. */
const firstOfHttp = 'H'.charCodeAt(0);

/**
 * The outcome of one request. `unreached` is the relay's failure: nothing accepted the connection.
 */
export type Exchange = InvocationOutcome | { readonly kind: 'unreached'; readonly why: string };

/**
 * HTTP to a model over the relay's socket. Does not use `fetch`, which inflates compressed
 * responses and follows redirects, and would thus post hidden inputs to the redirect's target.
 */
export class ModelConnection {
  private readonly agent = new SuspiciousAgent({ keepAlive: true, maxFreeSockets: 8, scheduling: 'lifo' });

  constructor(private readonly socketPath: string) {}

  invoke(body: Buffer, limits: InvocationLimits): Promise<Exchange> {
    return this.exchange({ method: 'POST', path: limits.path ?? '/invocations' }, body, limits);
  }

  /** Sends `GET /ping` and returns the outcome. */
  async ping(milliseconds: number): Promise<Exchange> {
    return this.exchange({ method: 'GET', path: '/ping' }, null, { deadline: milliseconds, responseBytes: 65_536 });
  }

  close(): void {
    this.agent.destroy();
  }

  private async exchange(target: Target, body: Buffer | null, limits: InvocationLimits): Promise<Exchange> {
    // two turns of the event loop read what came on idle connections, which closes them
    await setImmediate();
    await setImmediate();
    const started = performance.now();
    const first = await this.attempt(target, body, limits, started, this.agent);
    // a server that closes an idle connection at the moment it is reused has not seen the request
    if (first !== 'stale') return first;
    // repeats the request on a new connection, which cannot be stale
    return (await this.attempt(target, body, limits, started, false)) as Exchange;
  }

  private attempt(
    target: Target,
    body: Buffer | null,
    limits: InvocationLimits,
    started: number,
    agent: Agent | false,
  ): Promise<Exchange | 'stale'> {
    return new Promise((resolve) => {
      const call = request({
        ...target,
        socketPath: this.socketPath,
        agent,
        maxHeaderSize: 16_384,
        headers: {
          host: 'model',
          accept: 'application/json',
          'accept-encoding': 'identity',
          ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
        },
      });
      const settle = (outcome: Exchange | 'stale') => {
        clearTimeout(timer);
        // an answer leaves its connection to the next request; after any other outcome nothing more
        // is read from it
        if (outcome === 'stale' || outcome.kind !== 'answer') call.destroy();
        resolve(outcome);
      };
      const timer = setTimeout(
        () => settle({ kind: 'exceeded', limit: 'time', amount: limits.deadline }),
        Math.max(0, limits.deadline - (performance.now() - started)),
      );

      boundInformational(call, settle);
      boundWire(call, Math.max(limits.responseBytes, shownBytes), settle);
      call.on('error', (error: NodeJS.ErrnoException) => settle(fault(error, call)));
      call.on('response', (response) => read(response, limits, started, settle));
      call.end(body ?? undefined);
    });
  }
}

interface Target {
  readonly method: 'GET' | 'POST';
  readonly path: string;
}

function read(
  response: IncomingMessage,
  limits: InvocationLimits,
  started: number,
  settle: (outcome: Exchange) => void,
): void {
  const status = response.statusCode ?? 0;
  const encoding = response.headers['content-encoding'];
  if (status >= 300 && status < 400) {
    settle({ kind: 'redirected', status });
    return;
  }
  if (encoding !== undefined && encoding !== 'identity') {
    settle({ kind: 'encoded', encoding: encoding.slice(0, 64) });
    return;
  }
  const cap = status === 200 ? limits.responseBytes : shownBytes;
  if (status === 200 && Number(response.headers['content-length']) > cap) {
    settle({ kind: 'exceeded', limit: 'output', amount: cap });
    return;
  }

  const body = new GrowingBytes();
  let chunks = 0;
  const finish = () =>
    settle(
      status === 200
        ? { kind: 'answer', body: body.take(), milliseconds: performance.now() - started }
        : { kind: 'status', status, body: body.take().toString('utf8', 0, shownBytes) },
    );
  response.on('data', (chunk: Buffer) => {
    body.add(chunk);
    if (body.length <= cap) {
      if (++chunks > freeChunks + body.length / meanChunkBytes)
        settle({ kind: 'disconnected', why: `the answer came in over ${freeChunks} tiny chunks` });
    } else if (status === 200) settle({ kind: 'exceeded', limit: 'output', amount: cap });
    else finish();
  });
  response.on('end', finish);
  response.on('error', ({ message }) =>
    settle({ kind: 'disconnected', why: `the connection closed before the response was complete (${message})` }),
  );
}

/**
 * Bounds the number of informational responses. A model may send 100 or 103 before its answer, but
 * not forever.
 */
function boundInformational(call: ClientRequest, settle: (outcome: Exchange) => void): void {
  let seen = 0;
  call.on('information', () => {
    if (++seen > informationalAnswers)
      settle({ kind: 'disconnected', why: 'the model sent only informational (1xx) responses' });
  });
}

/**
 * Refuses answers of other protocols, a switch to one, and chunks with much more than their body.
 */
function boundWire(call: ClientRequest, bodyBytes: number, settle: (outcome: Exchange) => void): void {
  call.on('socket', (socket) => {
    let received = 0;
    const count = (bytes: Buffer) => {
      if (received === 0 && bytes[0] !== firstOfHttp) settle({ kind: 'disconnected', why: 'the answer is not HTTP' });
      received += bytes.length;
      if (received > 2 * bodyBytes + frameBytes)
        settle({ kind: 'disconnected', why: 'the answer has far more bytes than its body' });
    };
    socket.prependListener('data', count);
    call.on('close', () => socket.off('data', count));
  });
  call.on('upgrade', (_response, socket) => {
    socket.destroy();
    settle({ kind: 'disconnected', why: 'the answer is 101 Switching Protocols' });
  });
}

function fault(error: NodeJS.ErrnoException, call: ClientRequest): Exchange | 'stale' {
  const { code = '', message } = error;
  if (code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'EACCES') return { kind: 'unreached', why: message };
  if (code === 'HPE_HEADER_OVERFLOW') return { kind: 'disconnected', why: 'the response headers exceed 16 KiB' };
  if (code.startsWith('HPE_')) return { kind: 'disconnected', why: `the response is not valid HTTP (${message})` };
  if (call.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')) return 'stale';
  return { kind: 'disconnected', why: `the connection closed before a response (${message})` };
}

/** Keeps connections alive, but drops one that receives data while no request is in progress. */
class SuspiciousAgent extends Agent {
  private readonly watches = new WeakMap<Duplex, () => void>();

  override keepSocketAlive(socket: Duplex): boolean {
    const watch = () => socket.destroy();
    this.watches.set(socket, watch);
    socket.on('data', watch);
    super.keepSocketAlive(socket);
    return true;
  }

  override reuseSocket(socket: Duplex, call: ClientRequest): void {
    const watch = this.watches.get(socket);
    if (watch) socket.off('data', watch);
    super.reuseSocket(socket, call);
  }
}
