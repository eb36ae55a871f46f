import { mayReadMetrics, Metrics } from '@assay/observability';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { Environment } from '../environment.js';
import { problemDetails } from '../problem.filter.js';

/**
 * Serves `GET /metrics` for Prometheus. The route is at the root and has its own token, so that no
 * guard of the API checks it.
 */
export function serveMetrics(app: NestFastifyApplication): void {
  const metrics = app.get(Metrics);
  const { metricsToken } = app.get(Environment);
  const server = app.getHttpAdapter().getInstance();
  server.get('/metrics', async (request, reply) => {
    if (mayReadMetrics(metricsToken, request.headers.authorization)) {
      const { contentType, body } = await metrics.expose();
      return reply.header('content-type', contentType).send(body);
    }
    const detail = 'Send the token of ASSAY_METRICS_TOKEN as a bearer token.';
    const problem = JSON.stringify({ ...problemDetails(401, 'metrics_token', detail), requestId: request.id });
    const type = 'application/problem+json';
    return reply.status(401).header('www-authenticate', 'Bearer').header('content-type', type).send(problem);
  });
}
