import { Credential } from '@assay/identity';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

describe('sessions', () => {
  let world: ApiWorld;

  beforeAll(async () => {
    world = await apiWorld();
    for (const name of ['ann', 'bob']) await world.user(name);
  });
  afterAll(() => world.close());

  /**
   * Signs in.
   * @returns The session cookie.
   */
  async function signIn(name: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
    const body = { email: `${name}@example.org`, password: `${name}-has-a-password` };
    const answer = await world.call('POST', '/auth/login', { body, headers });
    expect(answer.status).toBe(200);
    return answer.headers.get('set-cookie')!.split(';')[0]!;
  }
  const call = (method: string, path: string, cookie: string) => world.call(method, path, { headers: { cookie } });
  const list = async (cookie: string) => (await call('GET', '/me/sessions', cookie)).body.items as Listed[];
  const forget = async () => world.orm.em.fork().nativeDelete(Credential, { kind: 'session' });

  it('are listed with the browser and the address that began them, and which is this one', async () => {
    await forget();
    const first = await signIn('ann');
    const second = await signIn('ann', { 'user-agent': FIREFOX });
    await signIn('bob');
    const items = await list(second);
    expect(items).toHaveLength(2);
    expect(items.find(({ current }) => current)).toMatchObject({ device: 'Firefox on Linux', address: '127.0.0.1' });
    expect(items.find(({ current }) => !current)).toMatchObject({ device: 'A program' });
    expect((await list(first)).find(({ current }) => current)!.device).toBe('A program');
    expect((await world.call('GET', '/me/sessions')).status).toBe(401);
  });

  it('end one by one, and nobody else can end them', async () => {
    await forget();
    const [mine, elsewhere, bobs] = [await signIn('ann'), await signIn('ann'), await signIn('bob')];
    const { id } = (await list(mine)).find(({ current }) => !current)!;
    expect((await call('DELETE', `/me/sessions/${id}`, bobs)).status).toBe(404);
    expect((await call('DELETE', '/me/sessions/none', mine)).status).toBe(404);
    expect((await call('DELETE', `/me/sessions/${id}`, mine)).status).toBe(204);
    expect((await call('GET', '/me', elsewhere)).status).toBe(401);
    expect((await call('DELETE', `/me/sessions/${id}`, mine)).status).toBe(404);

    const own = (await list(mine))[0]!;
    const ended = await call('DELETE', `/me/sessions/${own.id}`, mine);
    expect([ended.status, ended.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('assay_session=;')]);
    expect((await call('GET', '/me', mine)).status).toBe(401);
  });

  it('of the same browser are replaced at sign-in, and expired ones are gone', async () => {
    await forget();
    const first = await signIn('ann');
    const expired = await signIn('ann');
    const em = world.orm.em.fork();
    const [{ id }] = (await list(expired)).filter(({ current }) => current) as [Listed];
    await em.nativeUpdate(Credential, id, { expiresAt: new Date(Date.now() - 1000) });
    expect(await list(first)).toHaveLength(1);

    const second = await signIn('ann', { cookie: first });
    expect((await call('GET', '/me', first)).status).toBe(401);
    expect(await list(second)).toHaveLength(1);
    expect(await em.count(Credential, { kind: 'session', user: { username: 'ann' } })).toBe(1);
  });

  it('end when they are not used for a week, and after 30 days even when they are', async () => {
    await forget();
    const day = 86_400_000;
    const cookie = await signIn('ann');
    const [session] = await list(cookie);
    const em = world.orm.em.fork();
    const used = (daysAgo: number) =>
      em.nativeUpdate(Credential, session!.id, { lastUsedAt: new Date(Date.now() - daysAgo * day) });
    expect(Date.parse(session!.expiresAt) - Date.now()).toBeLessThanOrEqual(7 * day);
    await used(6.9);
    expect((await call('GET', '/me', cookie)).status).toBe(200);
    await used(7.1);
    expect((await call('GET', '/me', cookie)).status).toBe(401);

    const { createdAt, expiresAt } = await em.findOneOrFail(Credential, session!.id);
    expect(Math.round((expiresAt!.getTime() - createdAt.getTime()) / day)).toBe(30);
    await em.nativeUpdate(Credential, session!.id, { lastUsedAt: new Date(), expiresAt: new Date() });
    expect((await call('GET', '/me', cookie)).status).toBe(401);
  });

  it('are apart from tokens', async () => {
    await forget();
    const cookie = await signIn('ann');
    const token = await world.call('POST', '/tokens', { body: { name: 'mine' }, headers: { cookie } });
    expect((await call('DELETE', `/me/sessions/${token.body.id}`, cookie)).status).toBe(404);
    const byToken = await world.call('GET', '/me/sessions', { token: token.body.token as string });
    expect(byToken.body.items).toMatchObject([{ current: false }]);
  });
});

describe('the cookie of a session', () => {
  let world: ApiWorld;

  beforeAll(async () => {
    world = await apiWorld({ PUBLIC_URL: 'https://assay.example.org' });
  });
  afterAll(() => world.close());

  it('of a service that is reached by https is sent over nothing else, and taken from no other host', async () => {
    const body = { username: 'ann', email: 'ann@example.org', password: 'four words of nobody' };
    const [header = ''] = (await world.call('POST', '/auth/register', { body })).headers.getSetCookie();
    const [pair, ...settings] = header.split('; ');
    expect(pair).toMatch(/^__Host-assay_session=assay_/);
    expect(settings).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'Secure', 'SameSite=Strict']));
    expect(header).not.toMatch(/domain=/i);

    const me = (cookie: string) => world.call('GET', '/me', { headers: { cookie } });
    expect((await me(pair!)).status).toBe(200);
    expect((await me(pair!.replace('__Host-', ''))).status).toBe(401);
    const out = await world.call('POST', '/auth/logout', { headers: { cookie: pair! } });
    expect(out.headers.get('set-cookie')).toMatch(/^__Host-assay_session=;.*Secure/);
  });
});

interface Listed {
  readonly id: string;
  readonly device: string;
  readonly expiresAt: string;
  readonly current: boolean;
}
