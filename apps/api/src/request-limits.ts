import type { Principal } from '@assay/identity';
import { RefusedForNow } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Environment } from './environment.js';
import { householdOf } from './household.js';

const MINUTE = 60_000;
const READING: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];

/** What is read from the database by the thousand, or computed for who asks; under `/api/v1/`. */
const COSTLY = new Set(
  [
    'search',
    'overview',
    'tasks/:slug/compare',
    'tasks/:slug/compare/examples',
    'tasks/:slug/export',
    'tasks/:slug/rounds/:number/export',
    'tasks/:slug/rounds/:number/data-card',
    'tasks/:slug/rounds/:number/numbers',
    'tasks/:slug/numbers',
    'tasks/:slug/trend',
    'tasks/:slug/saturation',
    'tasks/:slug/leaderboard',
    'tasks/:slug/leaderboard/matrix',
    'models/:id/datasets/:name/examples',
    'models/:id/datasets/:name/confusion',
  ].map((route) => `/api/v1/${route}`),
);

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

/**
 * Counts what each user asks for, wherever from, and what they change; of who has not signed in what is costly, by household. What is answered from
 * memory comes by here no more (`answerKeptBoards`). Of each process by itself.
 */
@Injectable()
export class RequestLimit implements CanActivate {
  private limits: Readonly<Record<'request' | 'change' | 'costly', ReturnType<typeof limiter>>> | undefined;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    const reply = http.getResponse<FastifyReply>();
    this.limits ??= this.limitsOf(this.adapter.httpAdapter.getInstance<FastifyInstance>());
    if (!request.principal) {
      if (COSTLY.has(request.routeOptions.url ?? '')) await this.limits.costly(request, reply);
      return true;
    }
    await this.limits.request(request, reply);
    if (!READING.includes(request.method)) await this.limits.change(request, reply);
    return true;
  }

  private limitsOf(fastify: FastifyInstance) {
    const { requestsPerMinute, changesPerMinute, costlyRequestsPerMinute } = this.environment;
    const keyOf = ({ principal }: Asking): string => principal!.userId;
    return {
      request: limiter(fastify, { name: 'user', max: requestsPerMinute, keyOf }),
      change: limiter(fastify, { name: 'changes', max: changesPerMinute, keyOf }),
      costly: limiter(fastify, { name: 'costly', max: costlyRequestsPerMinute, keyOf: ({ ip }) => householdOf(ip) }),
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
