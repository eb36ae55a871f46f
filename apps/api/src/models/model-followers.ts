import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { type Model, ModelsService } from '@assay/submissions';
import { ownsTask } from '@assay/tasks';
import { MikroORM, RequestContext } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConcurrencyLimiter, callerOf } from '../limits/concurrency-limiter.js';
import { Callers } from '../auth/callers.js';
import { Environment } from '../environment.js';
import { followerConnection } from './follower-connection.js';
import { ModelEvents } from './model-events.service.js';

/**
 * Lets callers follow models: limits the concurrent streams of a caller, and ends a stream when the
 * caller may no longer see the model.
 */
@Injectable()
export class ModelFollowers {
  private readonly limiter: ConcurrencyLimiter;

  constructor(
    private readonly events: ModelEvents,
    private readonly callers: Callers,
    private readonly models: ModelsService,
    private readonly orm: MikroORM,
    private readonly environment: Environment,
  ) {
    const { followedAtOnce } = environment;
    this.limiter = new ConcurrencyLimiter({ each: followedAtOnce, what: 'event streams' });
  }

  /** @throws RefusedForNow `too_many_at_once` */
  async follow(
    principal: Principal | null,
    request: FastifyRequest,
    reply: FastifyReply,
    model: Model,
  ): Promise<ReturnType<ModelEvents['of']>> {
    const mayGoOn = () => RequestContext.create(this.orm.em, () => this.maySee(principal, request, model.id));
    const connection = followerConnection(reply.raw, this.environment.stalledMilliseconds);
    const seesExact = ownsTask(principal, model.task);
    return this.limiter.untilAnswered(callerOf(principal, request), reply, () =>
      Promise.resolve(this.events.of(model, { mayGoOn, seesExact, connection })),
    );
  }

  private async maySee(principal: Principal | null, request: FastifyRequest, id: string): Promise<boolean> {
    try {
      const still = principal && (await this.callers.of(request));
      if (still?.userId !== principal?.userId) return false;
      await this.models.getVisible(still, id);
      return true;
    } catch (error) {
      // an unreachable database says nothing about who may see the model
      return !(error instanceof DomainError);
    }
  }
}
