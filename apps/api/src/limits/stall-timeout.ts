import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isStreamed } from '../bodies/streamed-bodies.js';
import { countBytes } from './upload-meter.js';

/**
 * Closes connections that stall for `milliseconds`: before the next byte of a file, before the end
 * of any other body, or when the client stops reading a stream. As long as bytes are transferred, a
 * connection may last for hours.
 */
export function applyStallTimeout(fastify: FastifyInstance, milliseconds: number): void {
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (hasBody(request)) boundSender(request, milliseconds);
    done();
  });
  fastify.addHook('onSend', ({ raw }, reply, payload, done) => {
    // a timer of the socket, which restarts whenever the client reads something
    if (payload instanceof Readable) reply.raw.setTimeout(milliseconds, () => raw.socket.destroy());
    done(null, payload);
  });
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

function boundSender(request: FastifyRequest, milliseconds: number): void {
  const body: IncomingMessage = request.raw;
  const patience = setTimeout(() => {
    // bytes that have arrived and were not read yet wait for the service, not for the client
    if (body.readableLength > 0) patience.refresh();
    else if (!body.complete) body.socket.destroy();
  }, milliseconds).unref();
  if (isStreamed(request)) countBytes(body, () => patience.refresh());
  body.once('close', () => clearTimeout(patience));
}
