import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

/**
 * An address that a client has forged, and the address from which the nearest proxy received the
 * request.
 */
const FORGED = '198.51.100.9';
const CLIENT = '203.0.113.7';

describe.each([
  ['by default', undefined, { '127.0.0.1': CLIENT, '127.0.0.2': CLIENT }],
  ['that are named', '127.0.0.2/32, 10.1.0.0/16', { '127.0.0.1': '127.0.0.1', '127.0.0.2': CLIENT }],
  ['of which there is none', '', { '127.0.0.1': '127.0.0.1', '127.0.0.2': '127.0.0.2' }],
])('trusted proxies %s', (_what, proxies, addresses) => {
  let world: ApiWorld;

  beforeAll(async () => {
    world = await apiWorld(proxies === undefined ? {} : { ASSAY_TRUSTED_PROXIES: proxies });
    await world.user('ann');
  });
  afterAll(() => world.close());

  /**
   * Signs in through a connection from `from`.
   * @returns The address that the session reports as its origin.
   */
  async function addressSeen(from: string, forwarded: string): Promise<string> {
    const body = JSON.stringify({ email: 'ann@example.org', password: 'ann-has-a-password' });
    const headers = { 'content-type': 'application/json', 'x-forwarded-for': forwarded };
    const login = request(`${world.url}/api/v1/auth/login`, { method: 'POST', localAddress: from, headers });
    login.end(body);
    const [answer] = (await once(login, 'response')) as [IncomingMessage];
    answer.resume();
    const cookie = answer.headers['set-cookie']![0]!.split(';')[0]!;
    const { items } = (await world.call('GET', '/me/sessions', { headers: { cookie } })).body;
    return items.find(({ current }: { current: boolean }) => current).address as string;
  }

  it.each(Object.entries(addresses))('from %s a request is one of %s', async (from, seen) => {
    expect(await addressSeen(from, `${FORGED}, ${CLIENT}`)).toBe(seen);
  });
});
