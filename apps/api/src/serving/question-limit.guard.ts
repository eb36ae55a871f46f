import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Asking, limiter } from '../limits/request-limits.js';

const MINUTE = 60_000;
/**
 * The limits for the questions of one user, with their windows in milliseconds. The limit per
 * minute comes last, because the response headers state the last one.
 */
const LIMITS = [
  { name: 'questions-day', max: 500, window: 24 * 60 * MINUTE },
  { name: 'questions', max: 20, window: MINUTE },
] as const;

const refusal = (seconds: number) => ({
  code: 'too_many_questions',
  text: `Too many questions to models. Wait ${seconds} s.`,
});

/**
 * Limits the questions of each user, per process. Models in the loop are there for collection, so
 * nobody may keep them busy with other questions.
 */
@Injectable()
export class QuestionLimit implements CanActivate {
  private limits: readonly ReturnType<typeof limiter>[] | undefined;

  constructor(private readonly adapter: HttpAdapterHost) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    // the route rejects callers who are not signed in
    if (!request.principal) return true;
    const fastify = this.adapter.httpAdapter.getInstance<FastifyInstance>();
    const keyOf = ({ principal }: Asking): string => principal!.userId;
    this.limits ??= LIMITS.map((limit) => limiter(fastify, { ...limit, keyOf, refusal }));
    for (const limited of this.limits) await limited(request, http.getResponse<FastifyReply>());
    return true;
  }
}
