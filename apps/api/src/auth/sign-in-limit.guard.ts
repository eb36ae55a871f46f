import { RefusedForNow } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Environment } from '../environment.js';
import { householdOf } from '../household.js';

const MINUTE = 60_000;

/** Slows down who tries passwords, or registers accounts by the hundred: by address, in each minute. Of IPv6, by what one household has. */
@Injectable()
export class SignInLimit implements CanActivate {
  private check: ReturnType<FastifyInstance['createRateLimit']> | undefined;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    this.check ??= this.adapter.httpAdapter.getInstance<FastifyInstance>().createRateLimit({
      max: this.environment.signInsPerMinute,
      timeWindow: MINUTE,
      keyGenerator: ({ ip }) => householdOf(ip),
    });
    const limit = await this.check(context.switchToHttp().getRequest<FastifyRequest>());
    if (limit.isAllowed || !limit.isExceeded) return true;

    const seconds = limit.ttlInSeconds;
    throw new RefusedForNow('too_many_attempts', `Too many attempts from this address: wait ${seconds} s.`, seconds);
  }
}
