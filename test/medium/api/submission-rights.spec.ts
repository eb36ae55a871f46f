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

    it('is given to administrators, and to an account whose mail address is confirmed', async () => {
      expect((await submit('hidden', world.admin)).status).toBe(201);
      await world.orm.em.fork().nativeUpdate(User, { username: 'builder' }, { emailVerifiedAt: new Date() });
      expect(await refusal('hidden', builder)).toBeNull();
      expect((await submit('hidden')).status).toBe(201);
    });
  });
});
