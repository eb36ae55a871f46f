import type { Principal } from '@assay/identity';
import { RefusedForNow } from '@assay/kernel';
import rateLimit from '@fastify/rate-limit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { ExecutionContext } from '@nestjs/common';
import type { HttpAdapterHost } from '@nestjs/core';
import fastify, { type FastifyInstance } from 'fastify';
import { Environment as Variables } from '@assay/contracts';
import type { Environment } from '../environment.js';
import { REQUEST_CLASSES, type RequestClass } from '../access/access.js';
import { clientNetworkOf, RequestLimit } from './request-limits.js';

const MOST = 3;
const MINUTE = 60_000;
/** A request of each class: its method, and the class that its route declares. */
const REQUESTS: Readonly<Record<RequestClass, readonly [method: string, cost?: RequestClass]>> = {
  read: ['GET'],
  costly: ['GET', 'costly'],
  change: ['PATCH'],
  upload: ['PUT', 'upload'],
  live: ['POST', 'live'],
  'sign-in': ['POST', 'sign-in'],
  evaluator: ['PUT', 'evaluator'],
};

interface Caller {
  readonly ip: string;
  /** Null: has not signed in. */
  readonly user?: string | null;
  readonly token?: string;
  readonly evaluator?: string;
}

describe('the budget of requests', () => {
  let server: FastifyInstance;
  let guard: RequestLimit;

  beforeEach(async () => {
    server = fastify();
    await server.register(rateLimit, { global: false });
    guard = limitOf();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return server.close();
  });

  function limitOf(most: Partial<Environment> = {}): RequestLimit {
    const environment = {
      ...{ requestsPerMinute: 1000, readsPerMinute: MOST, costlyRequestsPerMinute: MOST, changesPerMinute: MOST },
      ...{
        uploadsPerMinute: MOST,
        liveRequestsPerMinute: MOST,
        signInsPerMinute: MOST,
        evaluatorRequestsPerMinute: MOST,
      },
      ...most,
    };
    const host = { httpAdapter: { getInstance: () => server } } as unknown as HttpAdapterHost;
    return new RequestLimit(host, environment as Environment);
  }

  /** Returns whether a request is allowed. */
  async function isAllowed(name: RequestClass, caller: Caller): Promise<boolean> {
    return (await refusal(name, caller)) === null;
  }

  /** Returns the refusal of a request; null: it is allowed. */
  async function refusal(
    name: RequestClass,
    { ip, user = null, token = `of ${user}`, evaluator }: Caller,
  ): Promise<RefusedForNow | null> {
    const principal: Partial<Principal> | null = user === null ? null : { userId: user, credentialId: token };
    const [method, cost] = REQUESTS[name];
    const routeOptions = { config: { access: { cost } } };
    const request = {
      method,
      ip,
      headers: {},
      routeOptions,
      principal,
      ...(evaluator && { evaluator: { id: evaluator } }),
    };
    const reply = { header: () => reply };
    const http = { getRequest: () => request, getResponse: () => reply };
    try {
      await guard.canActivate({ switchToHttp: () => http } as unknown as ExecutionContext);
      return null;
    } catch (error) {
      if (error instanceof RefusedForNow) return error;
      throw error;
    }
  }

  /** Spends the whole budget. */
  async function spend(name: RequestClass, caller: Caller): Promise<void> {
    for (let n = 0; n < MOST; n++) expect(await isAllowed(name, caller)).toBe(true);
    expect(await isAllowed(name, caller)).toBe(false);
  }

  it.each(['costly', 'change', 'upload', 'live'] as const)(
    'for the class %s belongs to a user, wherever they ask from and by whichever token',
    async (name) => {
      await spend(name, { ip: '192.0.2.1', user: 'ada' });

      expect(await isAllowed(name, { ip: '198.51.100.2', user: 'ada', token: 'another' })).toBe(false);
      expect(await isAllowed(name, { ip: '192.0.2.1', user: 'ben' })).toBe(true);
    },
  );

  it('for reads belongs to a token', async () => {
    await spend('read', { ip: '192.0.2.1', user: 'ada' });

    expect(await isAllowed('read', { ip: '198.51.100.2', user: 'ada' })).toBe(false);
    expect(await isAllowed('read', { ip: '192.0.2.1', user: 'ada', token: 'another' })).toBe(true);
  });

  it('for reads allows 100 a second for each token by default, and says when further ones are allowed', async () => {
    const byDefault = (name: 'ASSAY_READS_PER_MINUTE' | 'ASSAY_REQUESTS_PER_MINUTE') =>
      Variables.shape[name].parse(undefined);
    const readsPerMinute = byDefault('ASSAY_READS_PER_MINUTE');
    guard = limitOf({ readsPerMinute, requestsPerMinute: byDefault('ASSAY_REQUESTS_PER_MINUTE') });
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now');
    const caller = { ip: '192.0.2.1', user: 'ada' };
    const reads = async (count: number): Promise<number> => {
      let allowed = 0;
      for (let n = 0; n < count; n++) if (await isAllowed('read', caller)) allowed++;
      return allowed;
    };

    for (let second = 0; second < 120; second++) {
      clock.mockReturnValue(start + second * 1000);
      expect([second, await reads(100)]).toEqual([second, 100]);
    }
    clock.mockReturnValue(start + 120_000);
    expect(await reads(readsPerMinute + 1)).toBe(readsPerMinute);
    clock.mockReturnValue(start + 150_000);
    expect(await refusal('read', caller)).toMatchObject({ code: 'too_many_requests', seconds: 30 });
    expect(await isAllowed('read', { ...caller, token: 'another' })).toBe(true);
  });

  it('for evaluators belongs to an evaluator, wherever it asks from', async () => {
    await spend('evaluator', { ip: '192.0.2.1', evaluator: 'east' });

    expect(await isAllowed('evaluator', { ip: '198.51.100.2', evaluator: 'east' })).toBe(false);
    expect(await isAllowed('evaluator', { ip: '192.0.2.1', evaluator: 'west' })).toBe(true);
    expect(await isAllowed('evaluator', { ip: '192.0.2.1' })).toBe(true);
  });

  it('for sign-ins belongs to a network, whoever has signed in already', async () => {
    await spend('sign-in', { ip: '192.0.2.1', user: 'ada' });

    expect(await isAllowed('sign-in', { ip: '192.0.2.1', user: 'ben' })).toBe(false);
    expect(await isAllowed('sign-in', { ip: '198.51.100.2', user: 'ada' })).toBe(true);
  });

  it.each(REQUEST_CLASSES)('for the class %s belongs to a network where nobody has signed in', async (name) => {
    await spend(name, { ip: '2001:db8::1' });

    expect(await isAllowed(name, { ip: '2001:db8::2' })).toBe(false);
    expect(await isAllowed(name, { ip: '2001:db8:0:1::1' })).toBe(true);
  });

  it('is one of each class, and one of all classes for a user', async () => {
    guard = limitOf({ requestsPerMinute: 2 * MOST });
    const ada = { ip: '192.0.2.1', user: 'ada' };
    for (let n = 0; n < MOST; n++)
      for (const name of ['costly', 'live'] as const) expect(await isAllowed(name, ada)).toBe(true);

    expect(await isAllowed('change', ada)).toBe(false);
    expect(await isAllowed('change', { ...ada, user: 'ben' })).toBe(true);
  });

  it.each(REQUEST_CLASSES)('for the class %s is full again a minute after its first request', async (name) => {
    const start = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(start);
    const caller = { ip: '192.0.2.1', user: 'ada' };
    await spend(name, caller);

    clock.mockReturnValue(start + MINUTE - 1);
    expect(await isAllowed(name, caller)).toBe(false);
    clock.mockReturnValue(start + MINUTE);
    await spend(name, caller);
  });
});

describe('the household of an address', () => {
  it.each([
    ['203.0.113.77', '203.0.113.77'],
    ['::ffff:203.0.113.77', '203.0.113.77'],
    ['2001:db8:12:3456:aaaa::1', '2001:db8:12:3456::/64'],
    ['2001:db8:12:3456:bbbb:1:2:3', '2001:db8:12:3456::/64'],
    ['2001:db8:12:3457::1', '2001:db8:12:3457::/64'],
    ['::1', '0:0:0:0::/64'],
  ])('of %s is %s', (address, household) => {
    expect(clientNetworkOf(address)).toBe(household);
  });
});
