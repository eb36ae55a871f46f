import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Gives each request its own identity map just before it is handled. Requests that are rejected or
 * answered earlier need none, and body parsers run in events of the socket, outside any context
 * that was entered before.
 */
export function separateRequests(app: NestFastifyApplication): void {
  const { em } = app.get(MikroORM);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('preHandler', (_request, _reply, done) => RequestContext.create(em, done));
}
