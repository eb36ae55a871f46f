import { codeOfIssues, problemsOf, problemsText } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { Metrics } from '@assay/observability';
import cookie from '@fastify/cookie';
import rateLimit from '@fastify/rate-limit';
import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { type LoggerService, StandardSchemaValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { guardAnswers } from './bodies/answer-headers.js';
import { AppModule } from './app.module.js';
import { serveDashboard } from './dashboard/serve-dashboard.js';
import { Environment } from './environment.js';
import { serveApiDocument } from './openapi/api-document.js';
import { serveMetrics } from './observability/metrics-route.js';
import { observeRequests, requestId } from './observability/observed-requests.js';
import { ProblemFilter } from './problem.filter.js';
import { serveEvaluators } from './serving/serve-evaluators.js';
import { applyStallTimeout } from './limits/stall-timeout.js';
import { openApiDocument } from './openapi/openapi-document.js';
import { rejectCrossSiteRequests } from './access/csrf-guard.js';
import { applyPayloadLimits } from './limits/payload-limits.js';
import { limitAddresses } from './limits/request-limits.js';
import { acceptBodies } from './bodies/streamed-bodies.js';
import { answerUnparsed, answerUnrouted, ignoreExpectations, requireOneHost } from './bodies/unreadable-requests.js';
import { meterUploads } from './limits/upload-meter.js';

const LONGEST_JSON = 2 ** 20;
const LONGEST_PARAMETER = 500;
const HOUR = 3_600_000;
/**
 * The number of callers that the request limits track. The least recently seen caller makes room.
 */
const REMEMBERED_CALLERS = 20_000;

/** Creates the API, ready to listen. */
export async function createApi(logger: LoggerService): Promise<NestFastifyApplication> {
  const environment = new Environment();
  const adapter = new FastifyAdapter({
    bodyLimit: LONGEST_JSON,
    // an upload may take hours; `applyStallTimeout` closes connections that stall
    requestTimeout: 24 * HOUR,
    forceCloseConnections: true,
    http: {
      // `requireOneHost` responds with problem details instead, which Node.js does not
      requireHostHeader: false,
      // a client may offer other protocols, such as HTTP/2
      shouldUpgradeCallback: ({ headers }) => headers.upgrade === 'websocket',
    },
    clientErrorHandler: answerUnparsed,
    frameworkErrors: answerUnrouted,
    trustProxy: [...environment.trustedProxies],
    requestIdHeader: false,
    genReqId: requestId,
    // a signed link is longer than the default of 100 characters
    routerOptions: { maxParamLength: LONGEST_PARAMETER },
  });
  const app = await NestFactory.create<NestFastifyApplication>(AppModule, adapter, { logger });
  app.setGlobalPrefix('api/v1');
  app.useGlobalFilters(new ProblemFilter());
  app.useGlobalPipes(new StandardSchemaValidationPipe({ exceptionFactory: invalidRequest }));
  app.enableShutdownHooks();
  observeRequests(app);
  // before all other hooks: it must be in place when a body starts to arrive
  meterUploads(adapter.getInstance(), app.get(Metrics));
  applyStallTimeout(adapter.getInstance(), environment.stalledMilliseconds);
  guardAnswers(app);
  requireOneHost(adapter.getInstance());
  ignoreExpectations(adapter.getInstance());
  acceptBodies(adapter.getInstance());
  applyPayloadLimits(adapter.getInstance());
  rejectCrossSiteRequests(adapter.getInstance(), environment.publicUrl);
  await app.register(cookie);
  await app.register(rateLimit, { global: false, cache: REMEMBERED_CALLERS });
  limitAddresses(adapter.getInstance(), environment.addressRequestsPerMinute);
  serveMetrics(app);
  await serveEvaluators(app);
  separateRequests(app);
  await serveDashboard(app, environment.dashboard);
  serveApiDocument(app, () => openApiDocument(app));
  return app;
}

function invalidRequest(issues: Parameters<typeof problemsOf>[0]): DomainError {
  const problems = problemsOf(issues);
  return new DomainError('invalid', codeOfIssues(issues), problemsText(problems), problems);
}

/**
 * Gives each request its own identity map just before it is handled. Requests that are rejected or
 * answered earlier need none, and body parsers run in events of the socket, outside any context
 * that was entered before.
 */
function separateRequests(app: NestFastifyApplication): void {
  const { em } = app.get(MikroORM);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('preHandler', (_request, _reply, done) => RequestContext.create(em, done));
}
