import { request } from 'node:http';
import { User } from '@assay/identity';
import { Dataset } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
};
const LINES = '{"text": "Good.", "label": "positive"}\n{"text": "Bad.", "label": "negative"}';

describe('the right to submit', () => {
  let world: ApiWorld;
  let owner: string;
  let builder: string;
  let count = 0;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    builder = await world.user('builder');
    await task('public', 'public');
    await task('hidden', 'hidden');
  });
  afterAll(() => world.close());

  async function task(slug: string, visibility: string): Promise<void> {
    await world.call('POST', '/tasks', { token: owner, body: { ...TASK, slug } });
    const lines = { token: owner, type: 'application/x-ndjson', body: LINES };
    const { status } = await world.call('PUT', `/tasks/${slug}/datasets/test?visibility=${visibility}`, lines);
    expect(status).toBe(201);
  }
  const submit = (slug: string, token = builder) =>
    world.call('POST', `/tasks/${slug}/models`, { token, body: { name: `model ${++count}`, kind: 'container' } });
  const refusal = async (slug: string, token?: string) =>
    (await world.call('GET', `/tasks/${slug}`, token === undefined ? {} : { token })).body.submitRefusal as
      { readonly code: string; readonly detail: string } | null | undefined;

  /** Sends only the headers of an upload. Returns the status and the code of the response. */
  function announce(method: string, path: string, headers: Readonly<Record<string, string>>) {
    return new Promise<{ status: number; code: string }>((resolve, reject) => {
      const all = { authorization: `Bearer ${builder}`, ...headers };
      const sent = request(`${world.url}/api/v1${path}`, { method, headers: all }, (response) => {
        response.setEncoding('utf8').on('data', (text: string) => {
          resolve({ status: response.statusCode!, code: (JSON.parse(text) as { code: string }).code });
          sent.destroy();
        });
      });
      sent.on('error', reject).flushHeaders();
    });
  }
  /** Returns the responses to the announcement of an upload: plain, and resumable. */
  const announced = (id: string) =>
    Promise.all([
      announce('PUT', `/models/${id}/artifact`, {
        'content-type': 'application/octet-stream',
        'content-length': '1000000',
      }),
      announce('POST', `/models/${id}/upload`, {
        'tus-resumable': '1.0.0',
        'upload-length': '1000000',
        'content-type': 'application/offset+octet-stream',
        'content-length': '1000000',
      }),
    ]);

  it('is not restricted where registration is open and accounts cannot be verified', async () => {
    expect((await submit('hidden')).status).toBe(201);
    expect(await refusal('hidden', builder)).toBeNull();
    expect(await refusal('hidden')).toBeUndefined();
  });

  describe('of a list', () => {
    const list = (usernames: readonly string[] | null, token = owner) =>
      world.call('PUT', '/tasks/public/submitters', { token, body: { usernames } });
    const listed = async () => (await world.call('GET', '/tasks/public/submitters', { token: owner })).body;
    afterAll(() => list(null));

    it('is everyone’s by default', async () => {
      expect(await listed()).toEqual({ usernames: null });
    });

    it('is refused to others, before the first byte of an upload, but never to the owner', async () => {
      const id = (await submit('public')).body.id as string;
      const other = await world.user('other');
      expect((await list(['other'])).body).toEqual({ usernames: ['other'] });

      const { status, body } = await submit('public');
      expect([status, body.code]).toEqual([403, 'not_a_submitter']);
      expect(await refusal('public', builder)).toEqual({ code: 'not_a_submitter', detail: body.detail });
      expect(await announced(id)).toEqual([
        { status: 403, code: 'not_a_submitter' },
        { status: 403, code: 'not_a_submitter' },
      ]);
      for (const token of [other, owner, world.admin]) {
        expect((await submit('public', token)).status).toBe(201);
        expect(await refusal('public', token)).toBeNull();
      }
    });

    it('is replaced as a whole, without regard to case, and may be nobody’s', async () => {
      expect((await list(['BUILDER', 'builder', 'other'])).body).toEqual({ usernames: ['builder', 'other'] });
      expect((await submit('public')).status).toBe(201);
      expect((await list([])).body).toEqual({ usernames: [] });
      expect((await submit('public')).body.code).toBe('not_a_submitter');
      expect((await list(null)).body).toEqual({ usernames: null });
      expect((await submit('public')).status).toBe(201);
    });

    it('is not changed by unknown names, by more than 1,000, or by others', async () => {
      const unknown = await list(['builder', 'nobody-there']);
      expect([unknown.status, unknown.body.code]).toEqual([422, 'unknown_user']);
      expect(unknown.body.errors).toEqual([{ path: 'usernames.1', message: 'no user "nobody-there" exists' }]);
      const many = Array.from({ length: 1_001 }, (_, n) => `user-${n}`);
      expect((await list(many)).status).toBe(422);
      expect((await list(['builder'], builder)).body.code).toBe('not_the_owner');
      expect(await listed()).toEqual({ usernames: null });
    });

    it('ends with the account', async () => {
      const leaver = await world.user('leaver');
      await list(['leaver']);
      const own = await world.call('GET', '/me/export', { token: leaver });
      expect(own.body.submitterOf).toMatchObject([{ task: 'public' }]);
      const body = { text: 'keep', password: 'leaver-has-a-password' };
      expect((await world.call('POST', '/me/deletion', { token: leaver, body })).status).toBeLessThan(300);
      expect(await listed()).toEqual({ usernames: [] });
    });
  });

  describe('where accounts can be verified', () => {
    beforeAll(() => world.restart({ SMTP_URL: 'smtp://127.0.0.1:1' }));

    it('is refused to an account that is not verified, for a task with data that is not public', async () => {
      expect((await submit('public')).status).toBe(201);
      expect(await refusal('public', builder)).toBeNull();

      const { status, body } = await submit('hidden');
      expect([status, body.code]).toEqual([403, 'account_unverified']);
      expect(body.detail).toContain('Confirm your mail address under "Account"');
      expect(await refusal('hidden', builder)).toEqual({ code: 'account_unverified', detail: body.detail });
    });

    it('is checked before the first byte of an upload', async () => {
      const id = (await submit('public')).body.id as string;
      await world.orm.em.fork().nativeUpdate(Dataset, { task: { slug: 'public' } }, { visibility: 'inputs' });
      expect(await announced(id)).toEqual([
        { status: 403, code: 'account_unverified' },
        { status: 403, code: 'account_unverified' },
      ]);
      await world.orm.em.fork().nativeUpdate(Dataset, { task: { slug: 'public' } }, { visibility: 'public' });
    });

    it('is given to an account that an administrator verified, until that is taken back', async () => {
      const { id } = await world.orm.em.fork().findOneOrFail(User, { username: 'builder' });
      const verify = (verified: boolean) =>
        world.call('PATCH', `/admin/users/${id}`, { token: world.admin, body: { verified } });
      expect((await verify(true)).body).toMatchObject({ verified: true, verifiedAt: expect.any(String) });
      expect(await refusal('hidden', builder)).toBeNull();
      expect((await submit('hidden')).status).toBe(201);
      const { verified, emailVerified } = (await world.call('GET', '/me', { token: builder })).body;
      expect({ verified, emailVerified }).toEqual({ verified: true, emailVerified: false });

      expect((await verify(false)).body).toMatchObject({ verified: false, verifiedAt: null });
      expect((await submit('hidden')).body.code).toBe('account_unverified');
    });

    it('is given to administrators, and to an account whose mail address is confirmed', async () => {
      expect((await submit('hidden', world.admin)).status).toBe(201);
      await world.orm.em.fork().nativeUpdate(User, { username: 'builder' }, { emailVerifiedAt: new Date() });
      expect(await refusal('hidden', builder)).toBeNull();
      expect((await submit('hidden')).status).toBe(201);
    });
  });
});
