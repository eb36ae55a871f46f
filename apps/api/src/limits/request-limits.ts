import { isIPv6 } from 'node:net';
import { RefusedForNow } from '@assay/kernel';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';
import { accessOf, classOf, type RequestClass } from '../access/access.js';
import type { AuthenticatedRequest } from '../auth/evaluator-access.js';
import { Environment } from '../environment.js';

const MINUTE = 60_000;
export type Asking = Readonly<AuthenticatedRequest>;
type Check = ReturnType<FastifyInstance['createRateLimit']>;

interface Limit {
  /** The name of the policy in headers. */
  readonly name: string;
  /** The maximum number of requests in a minute, or in `window`. */
  readonly max: number;
  /** The window in milliseconds. Default: one minute. */
  readonly window?: number;
  /** Returns the key by which callers are counted. Default: the address. */
  readonly keyOf?: ((request: Asking) => string) | undefined;
  /** Returns the error for a caller who exceeds the limit. */
  readonly refusal?: (seconds: number) => { readonly code: string; readonly text: string };
}

/** Limits the requests of each address, before anything else is done for them. Per process. */
export function limitAddresses(fastify: FastifyInstance, max: number): void {
  const limited = limiter(fastify, { name: 'address', max });
  fastify.addHook('onRequest', (request, reply) => limited(request, reply));
}

/**
 * Limits the requests of each caller by class, and of each user in total. Per process.
 */
@Injectable()
export class RequestLimit implements CanActivate {
  private made: Limits | undefined;

  constructor(
    private readonly adapter: HttpAdapterHost,
    private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const request = http.getRequest<Asking>();
    const reply = http.getResponse<FastifyReply>();
    if (request.principal) await this.limits.user(request, reply);
    await this.limits[classOf(request.method, accessOf(request).cost)](request, reply);
    return true;
  }

  /**
   * Counts a request to another class as well, for work that its route does not always cause.
   * @throws RefusedForNow if the caller exceeds the limit of the class
   */
  async charge(name: RequestClass, request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.limits[name](request, reply);
  }

  /** Made on first use, because Fastify must have its plugin for limits before. */
  private get limits(): Limits {
    return (this.made ??= limitsOf(this.adapter.httpAdapter.getInstance<FastifyInstance>(), this.environment));
  }
}

type Limits = Readonly<Record<RequestClass | 'user', ReturnType<typeof limiter>>>;

function limitsOf(fastify: FastifyInstance, environment: Environment): Limits {
  const network = ({ ip }: Asking): string => clientNetworkOf(ip);
  const user = (request: Asking): string => request.principal?.userId ?? network(request);
  const credential = (request: Asking): string => request.principal?.credentialId ?? network(request);
  const evaluator = (request: Asking): string => request.evaluator?.id ?? user(request);
  const limit = (name: string, max: number, keyOf: Limit['keyOf'] = user) => limiter(fastify, { name, max, keyOf });
  return {
    user: limit('user', environment.requestsPerMinute),
    read: limit('reads', environment.readsPerMinute, credential),
    costly: limit('costly', environment.costlyRequestsPerMinute),
    change: limit('changes', environment.changesPerMinute),
    upload: limit('uploads', environment.uploadsPerMinute),
    live: limit('live', environment.liveRequestsPerMinute),
    evaluator: limit('evaluators', environment.evaluatorRequestsPerMinute, evaluator),
    // clients that guess secrets or register hundreds of accounts have no account to count by
    'sign-in': limiter(fastify, {
      name: 'sign-ins',
      max: environment.signInsPerMinute,
      keyOf: network,
      refusal: (seconds) => ({
        code: 'too_many_attempts',
        text: `Too many sign-in attempts from your network. Wait ${seconds} s.`,
      }),
    }),
  };
}

/**
 * Returns a function that counts a request, states in the response headers how many are left
 * (draft-ietf-httpapi-ratelimit-headers-10), and rejects the request with RefusedForNow if none is
 * left.
 */
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
  text: `Too many requests: the limit is ${max} of this kind per minute. Wait ${seconds} s.`,
});

/**
 * Returns the network of a client: an IPv4 address, or the first 64 bits of an IPv6 address,
 * because a client that has one address of a /64 network has all of them.
 */
export function clientNetworkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const parsed = ipaddr.IPv6.parse(address);
  if (parsed.isIPv4MappedAddress()) return parsed.toIPv4Address().toString();
  return `${parsed.parts
    .slice(0, 4)
    .map((part) => part.toString(16))
    .join(':')}::/64`;
}
