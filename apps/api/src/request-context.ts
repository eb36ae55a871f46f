import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';

/**
 * Gives each request an identity map of its own, just before it is handled: what is refused or answered earlier needs none, and what reads a body is
 * rung by the socket, outside of any context that was begun before.
 */
export function separateRequests(app: NestFastifyApplication): void {
  const { em } = app.get(MikroORM);
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('preHandler', (_request, _reply, done) => RequestContext.create(em, done));
}
