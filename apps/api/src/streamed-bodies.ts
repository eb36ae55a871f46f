import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { formatBytes } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { acceptYaml } from './yaml-body.js';

/** Where the body is a file: it is streamed to the store, whatever type it says it has. */
const STREAMED =
  /^(?:(?:PUT|POST) \/api\/v1\/tasks\/[^/]+\/(?:datasets\/|rounds\/\d+\/(?:contexts|examples)(?:\?|$))|(?!GET )\w+ \/api\/v1\/models\/[^/]+\/(?:artifact|upload))/;
const ORIGINAL = Symbol('content-type');
/** Milliseconds. */
const DRAIN = 10_000;

type Marked = FastifyRequest & { [ORIGINAL]?: string };

/** Whether the body of a request is a file. */
export const isStreamed = ({ method, url }: FastifyRequest): boolean => STREAMED.test(`${method} ${url}`);

/** Has bodies that are files passed on as they come, and YAML read as JSON would be. */
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
 * The body as a stream, of at most so many bytes. Where its reader gives up half-way the connection stays, so that the sender reads why; the rest
 * of what it sends is thrown away (see `acceptBodies`).
 * @param refusal what is said of more of them: at once where the sender says how many they are, else when they have come
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

/** Of its own, since an error that is thrown into the iterator of the body would leave the body neither read nor closed. */
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
  new DomainError('too-large', 'file_too_large', `This file may have ${formatBytes(maxBytes)}.`);

/** Reads on for a while, as a connection that is cut would lose the answer; who sends on and on is cut off. */
function drain(body: IncomingMessage): void {
  const patience = setTimeout(() => body.destroy(), DRAIN).unref();
  body.once('close', () => clearTimeout(patience)).once('end', () => clearTimeout(patience));
  // a listener, since a reader that is only about to give up would stop the flow again
  body.on('data', () => undefined).resume();
}

/** Bytes of the body, where the sender says so. */
export function lengthOf({ headers }: FastifyRequest): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

/** The type that the sender gave a streamed body. */
export function originalContentType(request: FastifyRequest): string {
  return (request as Marked)[ORIGINAL] || 'application/octet-stream';
}
