import { isIPv6 } from 'node:net';
import { RefusedForNow } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { Environment } from '../environment.js';

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

/** The address; of IPv6 its first 64 bits: whoever has one of those has all. */
export function householdOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
