import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { REQUEST_ID } from '@assay/contracts';
import { Metrics, tracer, withLogFields } from '@assay/observability';
import { Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { FastifyRequest } from 'fastify';
import { onceAnswered } from './answered.js';

const SPAN = Symbol('span');
const READS = new Set(['GET', 'HEAD', 'OPTIONS']);

type Traced = FastifyRequest & { [SPAN]?: Span };

/** The id under which a request is logged: the sender's, where it has the form of one, else one of ours, by the generator that keeps randomness ahead. */
export function requestId({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/** Counts, logs and traces every request, under its id and the pattern of its route: a path may hold a secret. */
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
    if (READS.has(method) && status < 500) logger.debug(line);
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
    onceAnswered(reply, (status) => tell(request, status, (performance.now() - begun) / 1000));
    inItsContext(request, done);
  });
  // what reads a body is rung by the socket, outside of what was begun above
  fastify.addHook('preValidation', (request, _reply, done) => inItsContext(request, done));
}

const routeOf = (request: FastifyRequest): string => request.routeOptions.url ?? 'none';

/** Probes and files would only hide what is looked for. */
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
