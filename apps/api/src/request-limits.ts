import type { Principal } from '@assay/identity';
import { RefusedForNow } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from './environment.js';

const MINUTE = 60_000;
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

export type Asking = FastifyRequest & { readonly principal?: Principal | null };
type Check = ReturnType<FastifyInstance['createRateLimit']>;

interface Limit {
  /** Of the policy, in headers. */
  readonly name: string;
  /** In a minute, or in `window`. */
  readonly max: number;
  /** Milliseconds. */
  readonly window?: number;
  /** Who is counted as one; default: who asks from one address. */
  readonly keyOf?: (request: Asking) => string;
  /** What is said to who asks more often. */
  readonly refusal?: (seconds: number) => { readonly code: string; readonly text: string };
}

/** Counts all that comes from one address, before anything else is done for it. Of each process by itself. */
export function limitAddresses(fastify: FastifyInstance, max: number): void {
  const limited = limiter(fastify, { name: 'address', max });
  fastify.addHook('onRequest', (request, reply) => limited(request, reply));
}

/** Counts what each user asks for, wherever from, and what they change. Of each process by itself. */
@Injectable()
export class RequestLimit implements CanActivate {
  private limits: Readonly<Record<'request' | 'change', ReturnType<typeof limiter>>> | undefined;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    const reply = http.getResponse<FastifyReply>();
    // who has not signed in is counted by address
    if (!request.principal) return true;
    this.limits ??= this.limitsOf(this.adapter.httpAdapter.getInstance<FastifyInstance>());
    await this.limits.request(request, reply);
    if (!READING.includes(request.method)) await this.limits.change(request, reply);
    return true;
  }

  private limitsOf(fastify: FastifyInstance) {
    const { requestsPerMinute, changesPerMinute } = this.environment;
    const keyOf = ({ principal }: Asking): string => principal!.userId;
    return {
      request: limiter(fastify, { name: 'user', max: requestsPerMinute, keyOf }),
      change: limiter(fastify, { name: 'changes', max: changesPerMinute, keyOf }),
    };
  }
}

/** Counts a request, says in its answer's headers how many are left (draft-ietf-httpapi-ratelimit-headers-10), and refuses it where none is. */
export function limiter(
  fastify: FastifyInstance,
  { name, max, window = MINUTE, keyOf, refusal = tooMany(max) }: Limit,
) {
  const keyGenerator = keyOf && { keyGenerator: (request: FastifyRequest) => keyOf(request) };
  const check: Check = fastify.createRateLimit({ max, timeWindow: window, ...keyGenerator });
  const policy = `"${name}";q=${max};w=${window / 1000}`;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const state = await check(request);
    if (state.isAllowed) return;
    void reply
      .header('ratelimit-policy', policy)
      .header('ratelimit', `"${name}";r=${state.remaining};t=${state.ttlInSeconds}`);
    if (!state.isExceeded) return;
    const { code, text } = refusal(state.ttlInSeconds);
    throw new RefusedForNow(code, text, state.ttlInSeconds);
  };
}

const tooMany = (max: number) => (seconds: number) => ({
  code: 'too_many_requests',
  text: `More than ${max} requests in a minute: wait ${seconds} s.`,
});
