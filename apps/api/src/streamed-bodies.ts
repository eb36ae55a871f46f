import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
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
 * The body as a stream. Where its reader gives up half-way the connection stays, so that the sender reads why; the rest of what
 * it sends is thrown away (see `acceptBodies`).
 */
export function bodyOf(request: FastifyRequest): Readable {
  return Readable.from(chunksOf(request.raw), { objectMode: false });
}

/** Of its own, since an error that is thrown into the iterator of the body would leave the body neither read nor closed. */
async function* chunksOf(body: IncomingMessage): AsyncGenerator<Buffer> {
  for await (const chunk of body.iterator({ destroyOnReturn: false })) yield chunk as Buffer;
}

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
