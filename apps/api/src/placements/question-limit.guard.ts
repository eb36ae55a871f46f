import type { Principal } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

const MINUTE = 60_000;
/** Questions of one person, in each of these times (milliseconds). */
const LIMITS = [
  { max: 20, timeWindow: MINUTE },
  { max: 500, timeWindow: 24 * 60 * MINUTE },
] as const;

type Asking = FastifyRequest & { readonly principal?: Principal | null };
type Check = ReturnType<FastifyInstance['createRateLimit']>;

/** Models in the loop are there for who collects: nobody keeps them busy with questions of their own. Of each process by itself. */
@Injectable()
export class QuestionLimit implements CanActivate {
  private checks: readonly Check[] | undefined;

  constructor(private readonly adapter: HttpAdapterHost) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    // that one has to sign in is said by the route
    if (!request.principal) return true;
    const fastify = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    const keyGenerator = ({ principal }: Asking): string => principal!.userId;
    this.checks ??= LIMITS.map((limit) => fastify.createRateLimit({ ...limit, keyGenerator }));
    for (const check of this.checks) {
      const limit = await check(request);
      if (limit.isAllowed || !limit.isExceeded) continue;
      void http.getResponse<FastifyReply>().header('retry-after', String(limit.ttlInSeconds));
      const text = `You have asked often enough for now: wait ${limit.ttlInSeconds} s.`;
      throw new DomainError('quota', 'too_many_questions', text);
    }
    return true;
  }
}
