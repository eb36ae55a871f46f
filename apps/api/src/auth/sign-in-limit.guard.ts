import { DomainError } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from '../environment.js';

const MINUTE = 60_000;

/** Slows down who tries passwords, or registers accounts by the hundred: by address, in each minute. */
@Injectable()
export class SignInLimit implements CanActivate {
  private check: ReturnType<FastifyInstance['createRateLimit']> | undefined;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    this.check ??= this.adapter.httpAdapter
      .getInstance<FastifyInstance>()
      .createRateLimit({ max: this.environment.signInsPerMinute, timeWindow: MINUTE });
    const limit = await this.check(http.getRequest<FastifyRequest>());
    if (limit.isAllowed || !limit.isExceeded) return true;

    void http.getResponse<FastifyReply>().header('retry-after', String(limit.ttlInSeconds));
    throw new DomainError(
      'quota',
      'too_many_attempts',
      `Too many attempts from this address: wait ${limit.ttlInSeconds} s.`,
    );
  }
}
