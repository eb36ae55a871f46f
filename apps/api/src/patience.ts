import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isStreamed } from './streamed-bodies.js';
import { countBytes } from './upload-meter.js';

/**
 * Cuts off who keeps a connection waiting for `milliseconds`: for the next byte of a file, for the whole of any other body, or for a stream to be
 * taken further. As long as bytes come or go, it may last for hours.
 */
export function boundPatience(fastify: FastifyInstance, milliseconds: number): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) boundSender(request, milliseconds);
    done();
  });
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    // a timer of the socket, which anything that is taken sets back
    if (payload instanceof Readable) reply.raw.setTimeout(milliseconds, () => raw.socket.destroy());
    done(null, payload);
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function boundSender(request: FastifyRequest, milliseconds: number): void {
  const body: IncomingMessage = request.raw;
  const patience = setTimeout(() => {
    // what has arrived and was not read yet waits for us
    if (body.readableLength > 0) patience.refresh();
    else if (!body.complete) body.socket.destroy();
  }, milliseconds).unref();
  if (isStreamed(request)) countBytes(body, () => patience.refresh());
  body.once('close', () => clearTimeout(patience));
}
