import { SignInAttempt, User } from '@assay/identity';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { millisecondsOf } from '../../factories/measurement/processor-time.js';

const PASSWORD = 'four words of nobody';

describe('passwords', () => {
  let world: ApiWorld;

  beforeAll(async () => {
    world = await apiWorld({ ASSAY_SIGN_INS_PER_MINUTE: '10000' });
  });
  afterAll(() => world.close());

  const register = (name: string, password = PASSWORD, email = `${name}@example.org`) =>
    world.call('POST', '/auth/register', { body: { username: name, email, password } });
  const signIn = (email: string, password: string, headers = {}) =>
    world.call('POST', '/auth/login', { body: { email, password }, headers });
  const cookieOf = ({ headers }: Awaited<ReturnType<typeof register>>) => headers.get('set-cookie')!.split(';')[0]!;
  const deviceOf = ({ headers }: Awaited<ReturnType<typeof register>>) =>
    headers
      .getSetCookie()
      .find((each) => each.startsWith('assay_device='))!
      .split(';')[0]!;
  /** The headers that a proxy on this machine adds for a client at this address. */
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const forget = () => world.orm.em.fork().nativeDelete(SignInAttempt, {});

  it('are kept as argon2id, with the costs that OWASP asks for', async () => {
    await register('kept');
    const { passwordHash } = await world.orm.em.fork().findOneOrFail(User, { username: 'kept' });
    const [, memory, passes] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(passwordHash!)!.map(Number);
    expect(memory).toBeGreaterThanOrEqual(19_456);
    expect(passes).toBeGreaterThanOrEqual(2);
  });

  it.each([
    ['elevenchars', 'validation_failed'],
    ['unbelievable', 'weak_password'],
    ['weak-weak-weak', 'weak_password'],
    ['assay-assay-assay', 'weak_password'],
  ])('are refused where they are like %s', async (password) => {
    const refused = await register('weak', password);
    expect(refused).toMatchObject({ status: 422, body: { errors: [{ path: 'password' }] } });
    expect(await world.orm.em.fork().count(User, { username: 'weak' })).toBe(0);
  });

  it('that are wrong are tried ten times at an account from one network, whether or not there is one', async () => {
    await forget();
    await register('tried');
    for (const email of ['tried@example.org', 'nobody@example.org']) {
      const answers = [];
      // concurrent attempts: they are counted before the password is checked
      const tries = Array.from({ length: 10 }, () => signIn(email, 'not the password'));
      answers.push(...(await Promise.all(tries)));
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
        Array(10).fill([401, 'wrong_credentials']),
      );
      for (const password of ['not the password', PASSWORD]) {
        const refused = await signIn(email.toUpperCase(), password);
        expect([refused.status, refused.body.code]).toEqual([429, 'too_many_attempts']);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(600);
      }
    }
    const em = world.orm.em.fork();
    expect(JSON.stringify(await em.find(SignInAttempt, {}))).not.toContain('example.org');
    await em.nativeUpdate(SignInAttempt, {}, { endsAt: new Date() });
    expect((await signIn('tried@example.org', PASSWORD)).status).toBe(200);
    expect(await em.fork().count(SignInAttempt)).toBe(0);
  });

  it('that strangers try keep nobody out: neither from another network, nor from a browser that has signed in before', async () => {
    await forget();
    const device = deviceOf(await register('wanted'));
    const tries = Array.from({ length: 10 }, () => signIn('wanted@example.org', 'not the password'));
    expect((await Promise.all(tries)).map(({ status }) => status)).toEqual(Array(10).fill(401));

    expect((await signIn('wanted@example.org', PASSWORD)).status).toBe(429);
    expect((await signIn('wanted@example.org', PASSWORD, from('198.51.100.7'))).status).toBe(200);
    expect((await signIn('wanted@example.org', PASSWORD, { cookie: device })).status).toBe(200);
  });

  it('are guarded against guesses from many networks, which keep out no browser that has signed in before', async () => {
    await forget();
    const device = deviceOf(await register('hunted'));
    const other = deviceOf(await register('hunter'));
    for (let network = 0; network < 10; network++) {
      const guess = () => signIn('hunted@example.org', 'not the password', from(`2001:db8:0:${network}::1`));
      const answers = await Promise.all(Array.from({ length: 10 }, guess));
      expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(401));
    }

    const refused = await signIn('hunted@example.org', PASSWORD, from('198.51.100.7'));
    expect([refused.status, refused.body.code]).toEqual([429, 'too_many_attempts']);
    // the device cookie of another account, and two forged ones
    for (const cookie of [other, `${device}x`, 'assay_device=.']) {
      expect((await signIn('hunted@example.org', PASSWORD, { ...from('198.51.100.7'), cookie })).status).toBe(429);
    }
    expect((await signIn('hunted@example.org', PASSWORD, { cookie: device })).status).toBe(200);
    for (let n = 0; n < 10; n++) await signIn('hunted@example.org', 'not the password', { cookie: device });
    expect((await signIn('hunted@example.org', PASSWORD, { cookie: device })).status).toBe(429);
    await forget();
  });

  it('that are right take away what was counted', async () => {
    await forget();
    await register('forgetful');
    for (let round = 0; round < 2; round++) {
      for (let n = 0; n < 9; n++) await signIn('forgetful@example.org', 'not the password');
      expect((await signIn('forgetful@example.org', PASSWORD)).status).toBe(200);
    }
  });

  it('are looked at for as long, and answered the same, where there is no such account', async () => {
    await register('timed');
    const took = (email: string) =>
      millisecondsOf(async () => {
        const { status, body } = await signIn(email, 'not the password');
        expect([status, body.code]).toEqual([401, 'wrong_credentials']);
      });
    // warms up both kinds of request
    for (const email of ['timed@example.org', 'unknown@example.org']) await took(email);
    const known: Awaited<ReturnType<typeof took>>[] = [];
    const unknown: typeof known = [];
    for (let n = 0; n < 40; n++) {
      if (n % 8 === 0) await forget();
      known.push(await took('timed@example.org'));
      unknown.push(await took(`unknown-${n}@example.org`));
    }
    const ratioOf = (kind: 'passed' | 'processor') => median(unknown, kind) / median(known, kind);
    // without a hash, an attempt would take a quarter of the processor time; with two, nearly twice
    // as much
    expect(Math.abs(Math.log(ratioOf('processor')))).toBeLessThan(Math.log(1.2));
    // the elapsed time includes waiting, which varies on a busy machine
    expect(Math.abs(Math.log(ratioOf('passed')))).toBeLessThan(Math.log(2));
  });

  it('are changed by a user who knows the one until now, and all other sessions end', async () => {
    await forget();
    const here = cookieOf(await register('changing'));
    const elsewhere = cookieOf(await signIn('changing@example.org', PASSWORD));
    const token = (await world.call('POST', '/tokens', { headers: { cookie: here }, body: { name: 'mine' } })).body
      .token as string;
    const change = (body: object, cookie = here) => world.call('POST', '/me/password', { headers: { cookie }, body });
    const newPassword = 'four other words, again';

    expect((await change({ newPassword })).body.code).toBe('wrong_password');
    expect((await change({ password: 'not it', newPassword })).body.code).toBe('wrong_password');
    expect((await change({ password: PASSWORD, newPassword: 'changing-changing' })).body).toMatchObject({
      code: 'weak_password',
      errors: [{ path: 'newPassword' }],
    });
    expect((await change({ password: PASSWORD, newPassword })).status).toBe(204);
    const seen = await Promise.all(
      [here, elsewhere].map((cookie) => world.call('GET', '/me', { headers: { cookie } })),
    );
    expect(seen.map(({ status }) => status)).toEqual([200, 401]);
    expect((await world.call('GET', '/me', { token })).status).toBe(200);
    expect((await signIn('changing@example.org', PASSWORD)).status).toBe(401);
    expect((await signIn('changing@example.org', newPassword)).status).toBe(200);
    const { body } = await world.call('GET', '/admin/audit?action=account.password', { token: world.admin });
    expect(body.items).toMatchObject([{ actor: { username: 'changing' } }]);
  });

  it('are changed with an end to all tokens where that is asked for, but to the one by which it is asked', async () => {
    const here = cookieOf(await register('ending'));
    const make = async (name: string) =>
      (await world.call('POST', '/tokens', { headers: { cookie: here }, body: { name } })).body as Record<
        string,
        string
      >;
    const [mine, other] = [await make('mine'), await make('other')];
    const body = { password: PASSWORD, newPassword: 'four other words, again', endTokens: true };
    expect((await world.call('POST', '/me/password', { token: mine['token'], body })).status).toBe(204);
    const seen = await Promise.all(
      [mine, other].map(({ token }) => world.call('GET', '/me', { token: token as string })),
    );
    expect(seen.map(({ status }) => status)).toEqual([200, 401]);
    const query = `/admin/audit?action=token.revoked&subject=${other['id']}`;
    expect((await world.call('GET', query, { token: world.admin })).body.items).toHaveLength(1);
  });

  it('are not set by a token that a token made, where there is none: the session that it began proves nobody', async () => {
    const short = (await world.call('POST', '/tokens', { token: world.admin, body: { name: 'short', days: 1 } })).body;
    const session = await world.call('POST', '/auth/login-by-token', { body: { token: short.token as string } });
    const headers = { cookie: cookieOf(session) };
    const body = { newPassword: 'four words of a thief' };
    const refused = await world.call('POST', '/me/password', { headers, body });
    expect([refused.status, refused.body.code]).toEqual([403, 'recent_sign_in_needed']);
  });

  it('are guarded there as well: a stolen session tries ten', async () => {
    await forget();
    const cookie = cookieOf(await register('stolen'));
    const answers = [];
    for (let n = 0; n < 11; n++) {
      const body = { password: `guess ${n}`, newPassword: 'four words of a thief' };
      answers.push((await world.call('POST', '/me/password', { headers: { cookie }, body })).body.code);
    }
    expect(answers).toEqual([...Array(10).fill('wrong_password'), 'too_many_attempts']);
    await forget();
  });
});

function median<K extends string>(samples: readonly Readonly<Record<K, number>>[], kind: K): number {
  const values = samples.map((sample) => sample[kind]).sort((one, other) => one - other);
  return values[Math.floor(values.length / 2)]!;
}
