import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID } from '@assay/contracts';
import { Metrics, tracer, withLogFields } from '@assay/observability';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { isReading } from '../access/access.js';

const SPAN = Symbol('span');

type Traced = FastifyRequest & { [SPAN]?: Span };

/**
 * Returns the ID under which a request is logged: the `x-request-id` of the client if it is
 * well-formed, otherwise a new UUID by the generator that caches random bytes.
 */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Counts, logs and traces every request by its ID and the pattern of its route. The path itself is
 * left out, because it may contain a secret.
 */
export function observeRequests(app: NestFastifyApplication): void {
  const metrics = app.get(Metrics);
  const logger = new Logger('Request');
  const fastify = app.getHttpAdapter().getInstance();
  const tell = (request: Traced, status: number, seconds: number): void => {
    const { method, id } = request;
    const route = routeOf(request);
    metrics.countRequest(method, route, status, seconds);
    endSpan(request[SPAN], status);
    const line = { message: 'answered', request: id, method, route, status, seconds };
    if (isReading(method) && status < 500) logger.debug(line);
    else logger.log(line);
  };

  fastify.addHook('onRequest', (request: Traced, reply, done) => {
    void reply.header('x-request-id', request.id);
    const route = routeOf(request);
    if (isTraced(route)) {
      const attributes = { 'http.request.method': request.method, 'http.route': route, 'assay.request': request.id };
      const options = { kind: SpanKind.SERVER, attributes };
      request[SPAN] = tracer().startSpan(`${request.method} ${route}`, options, ROOT_CONTEXT);
    }
    const begun = performance.now();
    onResponseEnd(reply, (status) => tell(request, status, (performance.now() - begun) / 1000));
    inItsContext(request, done);
  });
  // body parsers run in events of the socket, outside the context that was entered above
  fastify.addHook('preValidation', (request, _reply, done) => inItsContext(request, done));
}

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none';

/**
 * Returns whether requests of a route are traced. Probes and files would only hide the traces of
 * interest.
 */
const isTraced = (route: string): boolean => route.startsWith('/api/v1/') && !route.startsWith('/api/v1/health');

function inItsContext(request: Traced, work: () => void): void {
  const span = request[SPAN];
  const inLog = (): void => withLogFields({ request: request.id }, work);
  if (span) context.with(trace.setSpan(ROOT_CONTEXT, span), inLog);
  else inLog();
}

function endSpan(span: Span | undefined, status: number): void {
  span?.setAttribute('http.response.status_code', status);
  if (status >= 500) span?.setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

/** nginx's 499: the client closed the connection before the response was complete. */
const LEFT = 499;

/**
 * Calls `tell` once with the status of the response when the request ends. Also does so if the
 * client disconnects first, when Fastify's `onResponse` hook does not run, and for hijacked
 * replies.
 */
export function onResponseEnd({ raw }: FastifyReply, tell: (status: number) => void): void {
  raw.once('close', () => tell(raw.writableFinished ? raw.statusCode : LEFT));
}
