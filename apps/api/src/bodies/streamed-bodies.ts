import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { formatBytes } from '@assay/contracts/text';
import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { accessOf } from '../access/access.js';
import { acceptYaml } from './yaml-body.js';

const ORIGINAL = Symbol('content-type');
/** The milliseconds for which the rest of an unread body is read. */
const DRAIN = 10_000;

type Marked = FastifyRequest & { [ORIGINAL]?: string };

/** Returns whether the body of a request is a file. GET has no body, even on the upload route. */
export const isStreamed = (request: FastifyRequest): boolean =>
  request.method !== 'GET' && accessOf(request).stream !== undefined;

/** Passes bodies that are files on as they arrive, and parses YAML like JSON. */
export function acceptBodies(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (isStreamed(request)) {
      (request as Marked)[ORIGINAL] = request.headers['content-type'] ?? '';
      request.headers['content-type'] = 'application/octet-stream';
    }
    done();
  });
  fastify.addHook('onResponse', (request, _reply, done) => {
    if (!request.raw.readableEnded && !request.raw.destroyed) drain(request.raw);
    done();
  });
  fastify.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null));
  acceptYaml(fastify);
}

/**
 * Returns the body as a stream of at most `maxBytes`. If its reader stops half-way, the connection
 * stays open, so that the client receives the error; the rest of the body is discarded (see
 * `acceptBodies`).
 * @param refusal the error for a larger body: thrown at once if the client announces the length,
 *   otherwise when the bytes have arrived
 * @throws DomainError
 */
export function bodyOf(
  request: FastifyRequest,
  maxBytes: number,
  refusal: (maxBytes: number) => DomainError = fileTooLarge,
): Readable {
  if ((lengthOf(request) ?? 0) > maxBytes) throw refusal(maxBytes);
  return Readable.from(chunksOf(request.raw, maxBytes, refusal), { objectMode: false });
}

/**
 * A separate generator, because an error that is thrown into the iterator of the body would leave
 * the body neither read nor closed.
 */
async function* chunksOf(
  body: IncomingMessage,
  maxBytes: number,
  refusal: (maxBytes: number) => DomainError,
): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw refusal(maxBytes);
    yield chunk;
  }
}

const fileTooLarge = (maxBytes: number): DomainError =>
  new DomainError('too-large', 'file_too_large', `The file is too large: the limit is ${formatBytes(maxBytes)}.`);

/**
 * Reads the rest of a body for a while, because closing the connection would lose the response.
 * Then closes the connection of a client that still sends.
 */
function drain(body: IncomingMessage): void {
  const patience = setTimeout(() => body.destroy(), DRAIN).unref();
  body.once('close', () => clearTimeout(patience)).once('end', () => clearTimeout(patience));
  // a listener, because a reader that is about to stop would pause the flow again
  body.on('data', () => undefined).resume();
}

/** Returns the size of the body in bytes if the client states it. */
export function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** Returns the content type that the client gave a streamed body. */
export function originalContentType(request: FastifyRequest): string {
  return (request as Marked)[ORIGINAL] || 'application/octet-stream';
}

/**
 * Returns the sha256 in hexadecimal that `Content-Digest: sha-256=:base64:` announces (RFC 9530).
 * Undefined without the header.
 * @throws DomainError `bad_content_digest`
 */
export function contentDigest(header: string | readonly string[] | undefined): string | undefined {
  if (header === undefined) return undefined;

  const text = String(header);
  const value = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(text)?.[1];
  if (value !== undefined) return Buffer.from(value, 'base64').toString('hex');
  throw new DomainError('invalid', 'bad_content_digest', `Content-Digest must be sha-256=:<base64>:, not "${text}".`);
}
