import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Asking, limiter } from '../request-limits.js';

const MINUTE = 60_000;
/** Questions of one person, in each of these times (milliseconds). That of the minute comes last: it is what an answer tells. */
const LIMITS = [
  { name: 'questions-day', max: 500, window: 24 * 60 * MINUTE },
  { name: 'questions', max: 20, window: MINUTE },
] as const;

const refusal = (seconds: number) => ({
  code: 'too_many_questions',
  text: `Too many questions to models. Wait ${seconds} s.`,
});

/** Models in the loop are there for who collects: nobody keeps them busy with questions of their own. Of each process by itself. */
@Injectable()
export class QuestionLimit implements CanActivate {
  private limits: readonly ReturnType<typeof limiter>[] | undefined;

  constructor(private readonly adapter: HttpAdapterHost) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    // that one has to sign in is said by the route
    if (!request.principal) return true;
    const fastify = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    const keyOf = ({ principal }: Asking): string => principal!.userId;
    this.limits ??= LIMITS.map((limit) => limiter(fastify, { ...limit, keyOf, refusal }));
    for (const limited of this.limits) await limited(request, http.getResponse<FastifyReply>());
    return true;
  }
}
