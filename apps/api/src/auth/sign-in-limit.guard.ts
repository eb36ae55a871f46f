import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../environment.js';
import { householdOf } from '../household.js';
import { limiter } from '../request-limits.js';

/**
 * Slows down who tries passwords, or registers accounts by the hundred: by address, in each minute. Of IPv6, by what one household has. Of each
 * process by itself; wrong passwords of one account are counted for all together.
 */
@Injectable()
export class SignInLimit implements CanActivate {
  private limited: ReturnType<typeof limiter> | undefined;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    this.limited ??= limiter(this.adapter.httpAdapter.getInstance<FastifyInstance>(), {
      name: 'sign-ins',
      max: this.environment.signInsPerMinute,
      keyOf: ({ ip }) => householdOf(ip),
      refusal: (seconds) => ({
        code: 'too_many_attempts',
        text: `Too many attempts from this address: wait ${seconds} s.`,
      }),
    });
    await this.limited(http.getRequest<FastifyRequest>(), http.getResponse<FastifyReply>());
    return true;
  }
}
