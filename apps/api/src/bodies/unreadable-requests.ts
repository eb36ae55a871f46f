import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemDetails } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { securityHeaders } from './answer-headers.js';
import { problemDetails } from '../problem.filter.js';

const HEADERS = { ...securityHeaders(), 'content-type': 'application/problem+json' };

type Refusal = readonly [status: number, code: string, detail: string];

const UNREADABLE: Refusal = [400, 'bad_request', 'The request is not valid HTTP.'];
/** The responses by the code of Node's error. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not arrive in time. Send it again.'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are too large: the limit is 16 KiB.'],
};

/** Answers a request that Node.js cannot parse, on its bare socket, and closes the connection. */
export function answerUnparsed({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const { problem, body, headers } = answerOf(...(REFUSALS[code] ?? UNREADABLE), randomUUID());
  const lines = Object.entries({ ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' });
  const head = [`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`];
  if (socket.writable) socket.write([...head, ...lines.map((line) => line.join(': ')), '', body].join('\r\n'));
  socket.destroy();
}

/** Answers a request whose URL the router cannot read. No hook has seen the request. */
export function answerUnrouted(
  { statusCode = 400, message }: Error & { readonly statusCode?: number },
  { id }: FastifyRequest,
  reply: FastifyReply,
): void {
  const { body, headers } = answerOf(statusCode, statusCode === 414 ? 'address_too_long' : 'bad_request', message, id);
  void reply.status(statusCode).headers(headers).send(body);
}

/**
 * Answers a request with an `Expect` other than `100-continue` as if it had none (RFC 9110,
 * 10.1.1). Node.js would reject it without headers or a text.
 */
export function ignoreExpectations({ server }: FastifyInstance): void {
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/**
 * Rejects requests with several `Host` headers, or with none in HTTP/1.1 (RFC 9112, 3.2), because a
 * proxy might read a different one than the service.
 */
export function requireOneHost(fastify: FastifyInstance): void {
  fastify.addHook('onRequest', ({ raw }, _reply, done) => {
    const hosts = raw.rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
    const isRight = hosts === 1 || (hosts === 0 && raw.httpVersion === '1.0');
    done(isRight ? undefined : wrongHost(hosts));
  });
}

const wrongHost = (hosts: number): DomainError =>
  new DomainError('invalid', 'invalid_host', `A request needs exactly one Host header; this one has ${hosts}.`);

function answerOf(status: number, code: string, detail: string, id: string) {
  const problem: ProblemDetails = { ...problemDetails(status, code, detail), requestId: id };
  return { problem, body: JSON.stringify(problem), headers: { ...HEADERS, 'x-request-id': id } };
}
