import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { failure, type FailureCode } from '@assay/contracts/models';
import { notifyModels } from '@assay/evaluation';
import { Run } from '@assay/evaluation/runs';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Model } from '@assay/submissions';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { firstValueFrom, lastValueFrom, shareReplay, skip } from 'rxjs';
import * as tus from 'tus-js-client';
import { ModelEvents } from '../../../apps/api/src/models/model-events.service.js';
import { READING_CONNECTION } from '../../factories/services/reading-connection.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { countLockWaits } from '../../factories/worlds/lock-waits.js';

const TASK = {
  slug: 'sentiment',
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  limits: { artifact: '1MiB' },
  quota: { perDay: 3, total: 4 },
};
const DATASET = Array.from({ length: 4 }, (_, n) => JSON.stringify({ id: n, text: `t${n}`, label: 'positive' })).join(
  '\n',
);
const NONE = '01a1f8c8-317c-7518-960b-2845b4ff5393';

describe('models', () => {
  let world: ApiWorld;
  let owner: string;
  let ada: string;
  let bob: string;

  beforeAll(async () => {
    world = await apiWorld();
    [owner, ada, bob] = await Promise.all([world.user('owner'), world.user('ada'), world.user('bob')]);
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    await world.call('PUT', '/tasks/sentiment/datasets/static', {
      token: owner,
      type: 'application/x-ndjson',
      body: DATASET,
    });
  });
  afterAll(() => world.close());

  const submit = async (token: string, more: object = {}) =>
    world.call('POST', '/tasks/sentiment/models', { token, body: { name: 'm', kind: 'container', ...more } });
  const created = async (token: string, more: object = {}) => (await submit(token, more)).body.id as string;
  const put = (id: string, body: Uint8Array, token: string, headers: Record<string, string> = {}) =>
    world.call('PUT', `/models/${id}/artifact`, { token, body, type: 'application/x-tar', headers });
  const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

  it('takes the models that a model descends from, and lets its owner change them', async () => {
    const parent = await created(ada);
    const child = await created(ada, { derivedFrom: [parent] });
    const model = await world.call('GET', `/models/${child}`, { token: ada });
    expect(model.body.derivedFrom).toEqual([parent]);

    const change = (token: string, id: string, derivedFrom: readonly string[]) =>
      world.call('PATCH', `/models/${id}`, { token, body: { derivedFrom } });
    // a cycle is harmless
    expect((await change(ada, parent, [child])).body.derivedFrom).toEqual([child]);
    expect((await change(ada, child, [])).body.derivedFrom).toEqual([]);
    expect((await change(bob, child, [parent])).status).toBe(404);
    expect((await change(ada, child, [child])).body.code).toBe('derived_from_itself');
    expect((await change(ada, child, [randomUUID()])).body.code).toBe('unknown_model');
    // not visible to others
    expect((await submit(bob, { derivedFrom: [parent] })).body.code).toBe('unknown_model');
    expect((await world.call('PATCH', `/models/${child}`, { token: ada, body: {} })).status).toBe(422);
  });

  it('takes a card, then the bytes, and writes model, run and outbox together', async () => {
    const id = await created(ada);
    expect((await world.call('GET', `/models/${id}`, { token: ada })).body.state).toBe('awaiting-artifact');

    const bytes = randomBytes(5000);
    const received = await put(id, bytes, ada);

    expect(received).toMatchObject({
      status: 202,
      body: { id, state: 'admitting', artifact: { digest: digestOf(bytes), size: 5000 } },
    });
    const em = world.orm.em.fork();
    const model = await em.findOneOrFail(Model, id);
    const runs = await em.find(Run, { specification: model.specification! });
    expect(runs).toEqual([expect.objectContaining({ state: 'queued', stage: 'admission' })]);
    const events = await em.find(OutboxEvent, { type: 'run.requested' });
    expect(events.map((event) => event.payload['runId'])).toContain(runs[0]!.id);
    const { body } = await world.call('GET', `/models/${id}`, { token: ada });
    expect(body.evaluations).toEqual([expect.objectContaining({ dataset: 'static', state: 'queued', examples: 4 })]);
    const since = expect.any(String);
    expect(body.run).toEqual({
      ...{ stage: 'admission', state: 'waiting', since, attempt: 1 },
      ...{ ahead: 0, queued: 1, running: [], noEstimate: 'no_evaluator' },
    });
    const next = await created(bob);
    await put(next, randomBytes(100), bob);
    expect((await world.call('GET', `/models/${next}`, { token: bob })).body.run).toMatchObject({
      ahead: 1,
      queued: 2,
    });
    // predictions files do not wait for models
    const file = await created(owner, { kind: 'predictions' });
    await put(file, randomBytes(100), owner);
    expect((await world.call('GET', `/models/${file}`, { token: owner })).body.run).toEqual({
      ...{ stage: 'admission', state: 'waiting', since, attempt: 1, ahead: 0 },
    });
    await em.nativeUpdate(Run, runs[0]!.id, {
      state: 'leased',
      stage: 'evaluation',
      attempts: 1,
      startedAt: new Date(),
      leasedAt: new Date(),
    });
    const { run } = (await world.call('GET', `/models/${id}`, { token: ada })).body;
    expect(run).toEqual({ stage: 'evaluation', state: 'running', since, attempt: 2, noEstimate: 'no_history' });
  });

  it('takes the same bytes again, and no others', async () => {
    const id = await created(bob);
    const bytes = randomBytes(100);
    await put(id, bytes, bob);

    expect((await put(id, bytes, bob)).status).toBe(200);
    const other = await put(id, randomBytes(100), bob);
    expect([other.status, other.body.code]).toEqual([409, 'artifact_differs']);
  });

  it.each([
    { of: 'the same model', status: 200, wrote: 0 },
    { of: 'the same model', status: 200, wrote: 1 },
    { of: 'another model', status: 202, wrote: 0 },
    { of: 'another model', status: 202, wrote: 1 },
  ])(
    'takes bytes again of $of while their run, which wrote $wrote rows, writes more',
    async ({ of, status, wrote }) => {
      const user = await world.user(`again-${status}-${wrote}`);
      const bytes = randomBytes(100);
      const id = await created(user);
      await put(id, bytes, user);
      const again = of === 'the same model' ? id : await created(user);
      const { specification } = await world.orm.em.fork().findOneOrFail(Model, id);
      const run = world.orm.em.fork();
      // in the same order as every transaction of a run
      const writes = [
        () => run.execute(`update artifact set state = 'admitted' where digest = ?`, [digestOf(bytes)]),
        () => run.execute(`update model set state = 'queued' where specification_id = ?`, [specification!.id]),
      ];

      await run.begin();
      await run.execute('select id from run_specification where id = ? for no key update', [specification!.id]);
      for (const write of writes.slice(0, wrote)) await write();
      const sending = put(again, bytes, user);
      await Promise.race([sending, waitingForLock()]);
      for (const write of writes.slice(wrote)) await write();
      await run.commit();

      expect((await sending).status).toBe(status);
    },
  );

  /** Waits until a transaction in this database waits for another one. */
  async function waitingForLock(): Promise<void> {
    const em = world.orm.em.fork();
    while ((await countLockWaits(em)) === 0) await setImmediate();
  }

  it('checks the announced digest and the size', async () => {
    const user = await world.user('digest');
    const bytes = randomBytes(300);
    const right = `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;
    const wrong = `sha-256=:${createHash('sha256').update('other').digest('base64')}:`;
    const id = await created(user);

    const altered = await put(id, bytes, user, { 'content-digest': wrong });
    expect([altered.status, altered.body.code]).toEqual([422, 'upload_altered']);
    const large = await put(id, randomBytes(2 ** 20 + 1), user);
    expect([large.status, large.body.code]).toEqual([413, 'artifact_too_large']);
    expect((await world.call('GET', `/models/${id}`, { token: user })).body.state).toBe('awaiting-artifact');
    expect((await put(id, bytes, user, { 'content-digest': right })).status).toBe(202);
  });

  it('resumes an upload that was cut, even after a restart', async () => {
    const user = await world.user('tus');
    const bytes = randomBytes(600_000);
    const { id, upload } = (await submit(user)).body as { id: string; upload: string };
    const endpoint = `${world.url}${new URL(upload).pathname}`;
    const headers = { authorization: `Bearer ${user}` };

    const uploadUrl = await new Promise<string>((resolve, reject) => {
      const cut = new tus.Upload(bytes, {
        endpoint,
        headers,
        chunkSize: 200_000,
        retryDelays: null,
        onError: reject,
        onChunkComplete: (_size, accepted) => {
          if (accepted < 400_000) return;
          void cut.abort();
          resolve(cut.url!);
        },
      });
      cut.start();
    });
    await world.restart();
    const offset = await fetch(uploadUrl, { method: 'HEAD', headers: { ...headers, 'tus-resumable': '1.0.0' } });
    expect(Number(offset.headers.get('upload-offset'))).toBeGreaterThanOrEqual(400_000);
    await new Promise<void>((resolve, reject) => {
      new tus.Upload(bytes, {
        uploadUrl,
        headers,
        retryDelays: null,
        onError: reject,
        onSuccess: () => resolve(),
      }).start();
    });

    const { body } = await world.call('GET', `/models/${id}`, { token: user });
    expect(body).toMatchObject({ state: 'admitting', artifact: { digest: digestOf(bytes), size: 600_000 } });
  });

  it('does not find the upload of a model whose ID is invalid', async () => {
    expect((await world.call('HEAD', '/models/unknown/upload', { token: ada })).status).toBe(404);
  });

  it('lets nobody else upload to, change or see what is not public', async () => {
    const id = await created(bob, { publish: false });
    await put(id, randomBytes(50), bob);

    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/events'],
      ['GET', '/logs'],
      ['PUT', '/artifact'],
      ['POST', '/cancel'],
      ['POST', '/rerun'],
      ['POST', '/publish'],
      ['POST', '/withdraw'],
      ['HEAD', '/upload'],
    ] as const) {
      const body = method === 'PUT' ? { body: randomBytes(1), type: 'application/x-tar' } : {};
      const { status } = await world.call(method, `/models/${id}${path}`, { token: ada, ...body });
      expect([method, path, status]).toEqual([method, path, 404]);
    }
    expect((await world.call('GET', `/models/${id}`)).status).toBe(404);
    expect((await world.call('GET', `/models/${id}`, { token: owner })).status).toBe(200);

    await world.call('POST', `/models/${id}/publish`, { token: bob });
    expect((await world.call('GET', `/models/${id}`)).status).toBe(200);
    expect((await world.call('POST', `/models/${id}/cancel`, { token: ada })).status).toBe(403);
    await world.call('POST', `/models/${id}/withdraw`, { token: bob });
    expect((await world.call('GET', `/models/${id}`)).status).toBe(404);
  });

  it('cancels, says so to listeners, and runs again on request', async () => {
    const user = await world.user('cancel');
    const id = await created(user);
    await put(id, randomBytes(60), user);

    const events = await fetch(`${world.url}/api/v1/models/${id}/events`, {
      headers: { authorization: `Bearer ${user}` },
    });
    expect(events.headers.get('content-type')).toContain('text/event-stream');
    const reader = events.body!.pipeThrough(new TextDecoderStream()).getReader();
    let first = '';
    while (!/event: state[^]*\n\n/.test(first)) first += (await reader.read()).value ?? '';
    expect(first).toContain('event: state');
    expect(first).toContain('"admitting"');

    expect((await world.call('POST', `/models/${id}/cancel`, { token: user })).body.state).toBe('cancelled');
    let rest = '';
    for (let part = await reader.read(); !part.done; part = await reader.read()) rest += part.value;
    expect(rest).toContain('"cancelled"');
    expect((await world.call('POST', `/models/${id}/cancel`, { token: user })).body.code).toBe('nothing_to_cancel');
    expect((await world.call('POST', `/models/${id}/rerun`, { token: user })).body.state).toBe('admitting');
  });

  it('tells all who follow a model that its artifact has come, and what comes of it, reading once how it stands', async () => {
    const user = await world.user('followed');
    const id = await created(user);
    const model = await world.orm.em.fork().findOneOrFail(Model, id, { populate: ['task'] });
    const followers = Array.from({ length: 20 }, () =>
      world.app
        .get(ModelEvents)
        .of(model, { seesExact: false, mayGoOn: () => Promise.resolve(true), connection: READING_CONNECTION })
        .pipe(shareReplay({ bufferSize: 3, refCount: false })),
    );
    const heardAs = (place: number) => Promise.all(followers.map((events) => firstValueFrom(events.pipe(skip(place)))));
    expect(await heardAs(0)).toContainEqual({ type: 'state', state: 'awaiting-artifact' });

    await put(id, randomBytes(80), user);
    expect([...new Set(await heardAs(1))]).toEqual([{ type: 'state', state: 'admitting' }]);

    const em = world.orm.em.fork();
    const { specification, task } = await em.findOneOrFail(Model, id);
    const score = { type: 'score', dataset: 'static', metrics: {} } as const;
    await notifyModels(em, { specification: NONE, task: task.id, event: score });
    await notifyModels(em, { specification: specification!.id, task: task.id, event: { ...score, dataset: 'own' } });
    expect([...new Set(await heardAs(2))]).toEqual([{ ...score, dataset: 'own' }]);

    await world.call('POST', `/models/${id}/cancel`, { token: user });
    await Promise.all(followers.map((events) => lastValueFrom(events)));
  });

  it('keeps to the quota, and says when it resets', async () => {
    const user = await world.user('eager');
    for (let n = 0; n < 3; n++) await put(await created(user), randomBytes(70), user);

    const refused = await submit(user);
    expect([refused.status, refused.body.code]).toEqual([429, 'quota_day']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused.body.detail).toMatch(/resets at \d{4}-\d\d-\d\dT00:00:00.000Z/);
  });

  it('tells the quota, which failures of the platform and in admission do not use up', async () => {
    const user = await world.user('unlucky');
    const quota = async () => (await world.call('GET', '/tasks/sentiment/quota', { token: user })).body;
    const sent: string[] = [];
    for (let n = 0; n < 3; n++) {
      sent.push(await created(user));
      await put(sent[n]!, randomBytes(70), user);
    }
    const { usedToday, used, resetsAt } = await quota();
    expect([usedToday, used, new Date(resetsAt).getUTCHours()]).toEqual([3, 3, 0]);
    expect(new Date(resetsAt).getTime()).toBeGreaterThan(Date.now());

    const failed = async (place: number, code: FailureCode) => {
      const change = { state: 'failed', failure: failure(code, 'It did.') } as const;
      await world.orm.em.fork().nativeUpdate(Model, sent[place]!, change);
    };
    await failed(0, 'platform_failed');
    await failed(1, 'predictions_incomplete');
    await failed(2, 'model_exited');
    expect(await quota()).toMatchObject({ usedToday: 1, used: 1 });
    expect((await submit(user)).status).toBe(201);

    await world.orm.em.fork().nativeUpdate(Model, sent[2]!, { acceptedAt: new Date(Date.now() - 86_400_000) });
    expect(await quota()).toMatchObject({ usedToday: 0, used: 1 });
    expect((await world.call('GET', '/tasks/sentiment/quota')).status).toBe(401);
  });

  it('refuses what is no model', async () => {
    expect((await submit(ada, { kind: 'pickle' })).body.detail).toContain('kind');
    expect((await submit(ada, { nmae: 'x' })).body.detail).toContain('nmae');
    expect((await submit(ada, { protocol: 'grpc' })).status).toBe(422);
    expect((await world.call('POST', `/models/${NONE}/cancel`, { token: ada })).status).toBe(404);
    expect((await world.call('POST', `/models/${await created(owner)}/rerun`, { token: owner })).body.code).toBe(
      'no_artifact',
    );
  });

  it('lists what somebody submitted, whatever became of it, to them alone', async () => {
    const builder = await world.user('eve');
    const first = await created(builder, { name: 'First', publish: false });
    const second = await created(builder, { name: 'Second' });
    await put(first, randomBytes(100), builder);
    const reason = failure('not_an_image', 'There is no manifest.json in it.');
    await world.orm.em.fork().nativeUpdate(Model, first, { state: 'failed', failure: reason });

    const all = await world.call('GET', '/me/models', { token: builder });
    const rest = await world.call('GET', `/me/models?limit=1&cursor=${second}`, { token: builder });

    const facts = { task: 'sentiment', taskName: 'Sentiment', kind: 'container', withdrawn: false };
    expect(all.body.items).toEqual([
      expect.objectContaining({ ...facts, id: second, name: 'Second', state: 'awaiting-artifact', published: true }),
      expect.objectContaining({ ...facts, id: first, state: 'failed', failure: reason, published: false }),
    ]);
    expect(rest.body).toEqual({ items: [all.body.items[1]] });
    expect((await world.call('GET', '/me/models')).status).toBe(401);
  });

  it('lists in pages', async () => {
    const first = await world.call('GET', '/tasks/sentiment/models?limit=2', { token: owner });
    const second = await world.call('GET', `/tasks/sentiment/models?limit=2&cursor=${first.body.nextCursor}`, {
      token: owner,
    });

    expect(first.body.items).toHaveLength(2);
    expect(second.body.items[0].id < first.body.items[1].id).toBe(true);
    expect((await world.call('GET', '/tasks/sentiment/models?cursor=x', { token: owner })).body.code).toBe(
      'unknown_cursor',
    );
  });
});
