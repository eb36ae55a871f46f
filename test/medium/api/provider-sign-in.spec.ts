import { Credential, ExternalIdentity, ProviderSignIn, User } from '@assay/identity';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../../scripts/services/free-port.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { CLIENT, testProvider, type TestProvider } from '../../factories/services/openid-provider.js';

const CALLBACK = '/api/v1/auth/provider/callback';

describe('a sign-in at an OpenID provider', () => {
  let world: ApiWorld;
  let provider: TestProvider;

  beforeAll(async () => {
    const port = await freePort('127.0.0.1');
    const publicUrl = `http://127.0.0.1:${port}`;
    provider = await testProvider(publicUrl + CALLBACK);
    world = await apiWorld({
      PORT: String(port),
      PUBLIC_URL: publicUrl,
      ASSAY_SIGN_INS_PER_MINUTE: '10000',
      ASSAY_OIDC_ISSUER: provider.issuer,
      ASSAY_OIDC_CLIENT_ID: CLIENT.id,
      ASSAY_OIDC_CLIENT_SECRET: CLIENT.secret,
      ASSAY_OIDC_NAME: 'The institute',
    });
    await account('ann');
  });
  afterAll(async () => {
    await world.close();
    await provider.close();
  });
  beforeEach(() => comes('ann'));

  /** Registers this person at the provider, which signs them in from now on. */
  function comes(name: string): void {
    provider.people.set(name, { email: `${name}@institute.example`, email_verified: true });
    provider.current = name;
    provider.knownSince = null;
  }
  /**
   * Creates an account that has signed in before.
   * @returns The cookie of its session.
   */
  async function account(name: string): Promise<string> {
    comes(name);
    const { pending } = await signIn();
    const { status, headers } = await register(pending, name);
    expect(status).toBe(201);
    return cookieOf(headers, 'assay_session')!;
  }

  const cookieOf = (headers: Headers, name: string) =>
    headers
      .getSetCookie()
      .find((each) => each.startsWith(`${name}=`) && !each.startsWith(`${name}=;`))
      ?.split(';')[0];

  /**
   * Starts a sign-in.
   * @returns The redirect URL and the cookie for the return.
   */
  async function begin(query = '', headers: Readonly<Record<string, string>> = {}) {
    const answer = await world.call('GET', `/auth/provider${query}`, { headers });
    expect(answer.status).toBe(302);
    return { url: answer.headers.get('location')!, cookie: cookieOf(answer.headers, 'assay_provider')! };
  }
  /**
   * Returns from the provider.
   * @returns The path to which the browser is sent, and its cookies.
   */
  async function comeBack(address: string, cookie = '') {
    const { status, headers, body } = await world.call('GET', address.slice(address.indexOf('/auth/provider/')), {
      headers: { cookie },
    });
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    return {
      path: /;url=([^"]*)"/.exec(body as string)![1]!.replaceAll('&amp;', '&'),
      session: cookieOf(headers, 'assay_session'),
      pending: cookieOf(headers, 'assay_provider'),
    };
  }
  async function signIn(query = '') {
    const { url, cookie } = await begin(query);
    return comeBack(await provider.visit(url), cookie);
  }
  /**
   * Removes the parameters that make the provider authenticate again, as the user of the browser
   * could.
   */
  function unasked(address: string): string {
    const url = new URL(address);
    for (const name of ['prompt', 'max_age']) url.searchParams.delete(name);
    return url.href;
  }
  const register = (cookie: string | undefined, username: string) =>
    world.call('POST', '/auth/provider/registration', { body: { username }, headers: { cookie: cookie ?? '' } });
  const me = async (cookie: string | undefined) =>
    (await world.call('GET', '/me', { headers: { cookie: cookie ?? '' } })).body;
  const refused = (code: string) => ({ path: `/sign-in?refused=${code}`, session: undefined, pending: undefined });

  it('is offered by its name, and asks with PKCE, state and nonce', async () => {
    expect((await world.call('GET', '/auth/ways')).body).toEqual({
      provider: { name: 'The institute' },
      registration: 'open',
    });
    const asked = Object.fromEntries(new URL((await begin()).url).searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      code_challenge_method: 'S256',
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
  });

  it('makes accounts only where everyone may register, and lets known people in everywhere', async () => {
    comes('late');
    const { pending } = await signIn();
    for (const mode of ['invitation', 'closed']) {
      await world.restart({ ASSAY_REGISTRATION: mode });
      comes('late');
      expect(await signIn()).toMatchObject(refused('registration_closed'));
      const answer = await register(pending, 'late');
      expect([answer.status, answer.body.code]).toEqual([403, 'registration_closed']);
      comes('ann');
      expect((await signIn()).session).toBeDefined();
    }
    await world.restart({ ASSAY_REGISTRATION: 'mail', SMTP_URL: 'smtp://127.0.0.1:1' });
    const cookie = cookieOf((await register(pending, 'late')).headers, 'assay_session')!;
    const created = await world.call('POST', '/tokens', { body: { name: 'tests' }, headers: { cookie } });
    const hook = { url: 'https://example.org/hook', kinds: ['round.opened'] };
    const token = created.body.token as string;
    expect((await world.call('POST', '/me/webhooks', { token, body: hook })).status).toBe(201);
    await world.restart({ ASSAY_REGISTRATION: 'open' });
  });

  it('lets a newcomer choose a name, and knows them the next time', async () => {
    comes('new');
    const first = await signIn('?next=/tasks/nli');
    expect(first).toMatchObject({ path: '/sign-in/username?next=%2Ftasks%2Fnli', session: undefined });
    const headers = { cookie: first.pending! };
    expect((await world.call('GET', '/auth/provider/registration', { headers })).body).toEqual({
      email: 'new@institute.example',
    });
    expect((await register(first.pending, 'not a name')).status).toBe(422);
    const made = await register(first.pending, 'new');
    expect(made).toMatchObject({ status: 201, body: { username: 'new', hasPassword: false } });
    expect((await me(cookieOf(made.headers, 'assay_session'))).username).toBe('new');
    expect((await register(first.pending, 'new2')).body.code).toBe('sign_in_expired');

    const second = await signIn('?next=/tasks/nli');
    expect(second).toMatchObject({ path: '/tasks/nli', pending: undefined });
    expect((await me(second.session)).username).toBe('new');
    // no password signs this account in, not even an empty one
    const body = { email: 'new@institute.example', password: '' };
    expect((await world.call('POST', '/auth/login', { body })).status).toBe(401);
  });

  it('ends the session before it', async () => {
    const { session } = await signIn();
    const { url, cookie } = await begin('', { cookie: session! });
    const second = await comeBack(await provider.visit(url), cookie);
    expect((await me(session)).code).toBe('sign_in');
    expect((await me(second.session)).username).toBe('ann');
  });

  it('ends the session before it, whosever that was', async () => {
    const { session } = await signIn();
    await account('ben');
    const { url, cookie } = await begin('', { cookie: session! });
    const second = await comeBack(await provider.visit(url), cookie);
    expect((await me(second.session)).username).toBe('ben');
    const anns = await world.call('GET', '/me', { headers: { cookie: session! } });
    expect([anns.status, anns.body.code]).toEqual([401, 'sign_in']);
  });

  it.each(['https://elsewhere.example', '//elsewhere.example', '/\\elsewhere.example', '/a%0d%0aset-cookie:x=y'])(
    'does not lead to %s afterwards',
    async (next) => {
      expect((await world.call('GET', `/auth/provider?next=${next}`)).status).toBe(422);
    },
  );

  describe('is refused', () => {
    it('with another state, or none', async () => {
      for (const change of [
        (url: URL) => url.searchParams.set('state', 'x'),
        (url: URL) => url.searchParams.delete('state'),
      ]) {
        const { url, cookie } = await begin();
        const back = new URL(await provider.visit(url));
        change(back);
        expect(await comeBack(back.href, cookie)).toEqual(refused('provider_refused'));
      }
    });

    it('in another browser than the one that began it', async () => {
      const [mine, thief] = [await begin(), await begin()];
      const back = await provider.visit(mine.url);
      expect(await comeBack(back)).toEqual(refused('sign_in_expired'));
      expect(await comeBack(back, thief.cookie)).toEqual(refused('provider_refused'));
    });

    it('with a code that was used, in the same sign-in and in another', async () => {
      const { url, cookie } = await begin();
      const back = await provider.visit(url);
      expect((await comeBack(back, cookie)).session).toBeDefined();
      expect(await comeBack(back, cookie)).toEqual(refused('sign_in_expired'));

      const other = await begin();
      const again = new URL(back);
      again.searchParams.set('state', new URL(other.url).searchParams.get('state')!);
      expect(await comeBack(again.href, other.cookie)).toEqual(refused('provider_refused'));
    });

    it('with the code of somebody else', async () => {
      const [mine, theirs] = [await begin(), await begin()];
      const injected = new URL(await provider.visit(theirs.url));
      injected.searchParams.set('state', new URL(mine.url).searchParams.get('state')!);
      expect(await comeBack(injected.href, mine.cookie)).toEqual(refused('provider_refused'));
    });

    it('with another nonce', async () => {
      const { url, cookie } = await begin();
      const changed = new URL(url);
      changed.searchParams.set('nonce', 'of another sign-in');
      expect(await comeBack(await provider.visit(changed.href), cookie)).toEqual(refused('provider_refused'));
    });

    it('with the answer of another issuer', async () => {
      const { url, cookie } = await begin();
      const back = new URL(await provider.visit(url));
      expect(back.searchParams.get('iss')).toBe(provider.issuer);
      back.searchParams.set('iss', 'https://elsewhere.example');
      expect(await comeBack(back.href, cookie)).toEqual(refused('provider_refused'));
    });

    it('after ten minutes', async () => {
      const { url, cookie } = await begin();
      await world.orm.em.fork().nativeUpdate(ProviderSignIn, {}, { endsAt: new Date() });
      expect(await comeBack(await provider.visit(url), cookie)).toEqual(refused('sign_in_expired'));
    });

    it.each([`${'long'.repeat(100)}@institute.example`, 'no address', '', 7])('with the address %j', async (email) => {
      provider.people.set('bob', { email, email_verified: true } as never);
      provider.current = 'bob';
      expect(await signIn()).toEqual(refused('email_not_verified'));
    });

    it.each([{ email_verified: false }, { email_verified: undefined }])('with an address that is %j', async (said) => {
      provider.people.set('bob', { email: 'bob@institute.example', ...said } as never);
      provider.current = 'bob';
      expect(await signIn()).toEqual(refused('email_not_verified'));
      expect(await world.orm.em.fork().count(User, { email: 'bob@institute.example' })).toBe(0);
    });

    it('of whom an administrator has blocked', async () => {
      const em = world.orm.em.fork();
      await em.nativeUpdate(User, { username: 'ann' }, { blockedAt: new Date() });
      expect(await signIn()).toEqual(refused('account_blocked'));
      await em.nativeUpdate(User, { username: 'ann' }, { blockedAt: null });
    });
  });

  it('opens no account by its address alone', async () => {
    await world.user('cid');
    provider.people.set('thief', { email: 'CID@example.org', email_verified: true });
    provider.current = 'thief';
    const { path, pending, session } = await signIn();
    expect([path, session]).toEqual(['/sign-in/username?next=%2F', undefined]);
    const taken = await register(pending, 'cid2');
    expect([taken.status, taken.body.code]).toEqual([409, 'email_taken']);
  });

  it('opens no account by the subject of another issuer', async () => {
    const em = world.orm.em.fork();
    const ann = await em.findOneOrFail(ExternalIdentity, { subject: 'ann' });
    await em.nativeUpdate(ExternalIdentity, ann.id, { issuer: 'https://elsewhere.example' });
    const { path, session } = await signIn();
    expect([path, session]).toEqual(['/sign-in/username?next=%2F', undefined]);
    await em.nativeUpdate(ExternalIdentity, ann.id, { issuer: provider.issuer });
  });

  it('asks for a proof again who is signed in, and else since when somebody is known', async () => {
    const asked = ({ url }: { url: string }) => Object.fromEntries(new URL(url).searchParams);
    expect(asked(await begin())).toMatchObject({ max_age: '2592000' });
    expect(asked(await begin())).not.toHaveProperty('prompt');
    const { session } = await signIn();
    expect(asked(await begin('', { cookie: session! }))).toMatchObject({ max_age: '0', prompt: 'login' });
  });

  it.each([
    ['whom it knows for long', (url: string) => url, 16],
    ['of whom it does not say since when it knows them', (url: string) => unasked(url), 0],
  ])('is not linked with an account where the provider answers with one %s', async (_what, changed, minutes) => {
    const name = `ida${minutes}`;
    const body = { username: name, email: `${name}@example.org`, password: 'four words of nobody' };
    const cookie = cookieOf((await world.call('POST', '/auth/register', { body })).headers, 'assay_session')!;
    comes(name);
    provider.knownSince = new Date(Date.now() - minutes * 60_000);
    const begun = await world.call('POST', '/me/provider', { headers: { cookie }, body: { password: body.password } });
    const url = begun.body.url as string;
    expect(new URL(url).searchParams.get('prompt')).toBe('login');
    const back = await provider.visit(changed(url));
    const answer = await comeBack(back, cookieOf(begun.headers, 'assay_provider'));
    expect(answer).toEqual(refused('provider_sign_in_old'));
  });

  it('is linked with an account by a user who proves to hold it, and with one alone', async () => {
    const body = { username: 'dee', email: 'dee@example.org', password: 'four words of nobody' };
    const cookie = (await world.call('POST', '/auth/register', { body })).headers.getSetCookie()[0]!.split(';')[0]!;
    const link = (password?: string) =>
      world.call('POST', '/me/provider', { headers: { cookie }, body: { ...(password && { password }) } });
    expect((await link()).body.code).toBe('wrong_password');

    provider.people.set('dee', { email: 'another@institute.example', email_verified: true });
    for (const [subject, path] of [
      ['ann', '/sign-in?refused=identity_taken'],
      ['dee', '/me/account'],
    ]) {
      provider.current = subject!;
      const answer = await link(body.password);
      const back = await provider.visit(answer.body.url as string);
      expect((await comeBack(back, cookieOf(answer.headers, 'assay_provider'))).path).toBe(path);
    }
    const { session } = await signIn();
    expect(await me(session)).toMatchObject({ username: 'dee', hasPassword: true });

    const query = '/admin/audit?action=account.linked&actor=dee';
    const { items } = (await world.call('GET', query, { token: world.admin })).body;
    expect(items).toMatchObject([
      { subject: { name: 'dee' }, from: null, to: { issuer: provider.issuer }, network: '127.0.0.0/24' },
    ]);
  });

  describe('is ended for an account', () => {
    const links = async (cookie: string) =>
      (await world.call('GET', '/me/provider', { headers: { cookie } })).body.items as { id: string }[];
    const unlink = (cookie: string, id: string, body: object = {}) =>
      world.call('POST', `/me/provider/${id}/unlink`, { headers: { cookie }, body });

    it('by a user who proves to hold it; they are signed out elsewhere, and come in by the password alone', async () => {
      const body = { username: 'eli', email: 'eli@example.org', password: 'four words of nobody' };
      const cookie = cookieOf((await world.call('POST', '/auth/register', { body })).headers, 'assay_session')!;
      comes('eli');
      const begun = await world.call('POST', '/me/provider', {
        headers: { cookie },
        body: { password: body.password },
      });
      const back = await provider.visit(begun.body.url as string);
      const here = (await comeBack(back, cookieOf(begun.headers, 'assay_provider'))).session!;
      const elsewhere = (await signIn()).session!;
      const [link] = await links(here);
      expect(link).toMatchObject({ issuer: provider.issuer });

      expect((await unlink(here, link!.id)).body.code).toBe('wrong_password');
      expect((await unlink(await account('other'), link!.id, { password: body.password })).status).toBe(404);
      expect((await unlink(here, link!.id, { password: body.password })).status).toBe(204);
      expect(await links(here)).toEqual([]);
      expect((await me(elsewhere)).code).toBe('sign_in');
      comes('eli');
      expect(await signIn()).toMatchObject({ path: '/sign-in/username?next=%2F', session: undefined });
      const { email, password } = body;
      expect((await world.call('POST', '/auth/login', { body: { email, password } })).status).toBe(200);
      const query = '/admin/audit?action=account.unlinked';
      const { items } = (await world.call('GET', query, { token: world.admin })).body;
      expect(items).toMatchObject([{ from: { issuer: provider.issuer } }]);
    });

    it('never where it is the only way in, were two ended at once', async () => {
      const cookie = await account('fay');
      const [only] = await links(cookie);
      expect((await unlink(cookie, only!.id)).body.code).toBe('only_way_in');
      const em = world.orm.em.fork();
      const user = await em.findOneOrFail(User, { username: 'fay' });
      em.create(ExternalIdentity, { user, issuer: 'https://elsewhere.example', subject: 'fay' });
      await em.flush();
      const both = await links(cookie);
      const answers = await Promise.all(both.map(({ id }) => unlink(cookie, id)));
      expect(answers.map(({ status }) => status).sort()).toEqual([204, 409]);
      expect(await links(cookie)).toHaveLength(1);
    });
  });

  it('is what deletes an account without a password, if it was just now', async () => {
    const session = await account('leaving');
    const token = (await world.call('POST', '/tokens', { headers: { cookie: session }, body: { name: 'a' } })).body
      .token as string;
    const body = { text: 'keep' };
    const remove = (cookie: string) => world.call('POST', '/me/deletion', { headers: { cookie }, body });
    const byToken = await world.call('POST', '/auth/login-by-token', { body: { token } });
    expect((await remove(cookieOf(byToken.headers, 'assay_session')!)).body.code).toBe('recent_sign_in_needed');
    const em = world.orm.em.fork();
    await em.nativeUpdate(
      Credential,
      { user: { username: 'leaving' } },
      { provenAt: new Date(Date.now() - 16 * 60_000) },
    );
    expect((await remove(session)).body.code).toBe('recent_sign_in_needed');
    // the provider may sign them in by an old session of its own, or leave out the time of
    // authentication
    provider.knownSince = new Date(Date.now() - 16 * 60_000);
    const silent = (await signIn()).session!;
    expect((await remove(silent)).body.code).toBe('recent_sign_in_needed');
    provider.knownSince = null;
    const { url, cookie } = await begin('', { cookie: silent });
    const untold = await comeBack(await provider.visit(unasked(url)), cookie);
    expect((await remove(untold.session!)).body.code).toBe('recent_sign_in_needed');

    expect((await remove((await signIn()).session!)).status).toBe(200);
    // the next sign-in creates a new account
    expect((await signIn()).path).toBe('/sign-in/username?next=%2F');
  });
});
