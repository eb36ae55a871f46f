import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Run } from '@assay/evaluation/runs';
import { BoardRevisionRepository, RELEASE_DEADLINE } from '@assay/leaderboard/boards';
import { OutboxEvent } from '@assay/persistence/outbox';
import { LocalBlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Task } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { Dataset, DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { publishBoard } from '../../factories/models/published-board.js';

const NONE = '01a1f8c8-317c-7518-960b-2845b4ff5393';
const definition = (slug: string) => ({
  slug,
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
});
const lines = (label: string) =>
  Array.from({ length: 4 }, (_, n) => JSON.stringify({ id: n, text: `t${n}`, label, genre: 'news' })).join('\n');

describe('scores over time', () => {
  let world: ApiWorld;
  let owner: string;
  let ada: string;
  let bob: string;
  let blobs: LocalBlobStore;

  beforeAll(async () => {
    world = await apiWorld();
    [owner, ada, bob] = await Promise.all([world.user('owner'), world.user('ada'), world.user('bob')]);
    blobs = new LocalBlobStore(join(world.home, 'blobs'));
  });
  afterAll(() => world.close());

  const em = () => world.orm.em.fork();
  const created = async (slug: string) =>
    expect(await world.call('POST', '/tasks', { token: owner, body: definition(slug) })).toMatchObject({ status: 201 });
  const dataset = async (slug: string, name: string, body = lines('positive'), query = '') =>
    world.call('PUT', `/tasks/${slug}/datasets/${name}${query}`, { token: owner, type: 'application/x-ndjson', body });
  const patch = (slug: string, body: object) => world.call('PATCH', `/tasks/${slug}`, { token: owner, body });
  const patchDataset = (slug: string, name: string, body: object, token = owner) =>
    world.call('PATCH', `/tasks/${slug}/datasets/${name}`, { token, body });
  const events = (type: string) => em().count(OutboxEvent, { type });

  const put = (id: string, bytes: Uint8Array, token: string) =>
    world.call('PUT', `/models/${id}/artifact`, { token, body: bytes, type: 'application/x-tar' });
  async function model(slug: string, bytes: Uint8Array = randomBytes(500), token = ada): Promise<string> {
    const { body } = await world.call('POST', `/tasks/${slug}/models`, {
      token,
      body: { name: 'm', kind: 'container' },
    });
    expect((await put(body.id as string, bytes, token)).status).toBe(202);
    return body.id as string;
  }

  /** Simulates the end of the model's run: admits the model, and scores it on all datasets. */
  async function scored(id: string): Promise<Model> {
    const work = em();
    const found = await work.findOneOrFail(Model, id, { populate: ['specification.artifact', 'task'] });
    await work.nativeUpdate(Run, { specification: found.specification!.id }, { state: 'done' });
    const cell = { state: 'scored' as const, metrics: {}, predictions: 'f'.repeat(64), finishedAt: new Date() };
    await work.nativeUpdate(Evaluation, { specification: found.specification!.id }, cell);
    const { artifact } = found.specification!;
    artifact.image = { port: 8080, protocol: null, unpackedBytes: 1, unreadable: [] };
    artifact.state = 'admitted';
    found.state = 'scored';
    await work.flush();
    return found;
  }

  describe('a field to slice by', () => {
    it('must be one that some example has', async () => {
      await created('slices');
      expect((await patch('slices', { slices: ['anything'] })).status).toBe(200);
      await dataset('slices', 'one');

      for (const body of [
        { slices: ['gener'] },
        { cluster: 'gener' },
        { slices: [{ field: 'genre', match: 'gener' }] },
      ]) {
        const refused = await patch('slices', body);
        expect(refused).toMatchObject({ status: 422, body: { code: 'unknown_slice_field' } });
        expect(refused.body.detail).toBe('No example of "slices" has a field "gener". Fields: genre, id, label, text.');
      }
      expect(await patch('slices', { slices: ['anything', 'genre'], cluster: 'text' })).toMatchObject({ status: 200 });
    });

    it('is not looked for where a dataset came before fields were kept', async () => {
      await created('older');
      await dataset('older', 'one');
      await em().nativeUpdate(DatasetVersion, { dataset: { name: 'one' } }, { fields: null });

      expect(await patch('older', { slices: ['whatever'] })).toMatchObject({ status: 200 });
    });
  });

  it('says how many scores a change touches', async () => {
    await created('touched');
    await dataset('touched', 'one');
    await scored(await model('touched'));
    // the score has no scoring key, as from before keys were introduced
    const before = await patch('touched', { description: 'the same' });
    const keyed = em();
    const task = await keyed.findOneOrFail(Task, { slug: 'touched' });

    expect(before.body).toMatchObject({ rescored: 1 });
    expect(await patch('touched', { metrics: ['accuracy', 'macro_f1'] })).toMatchObject({
      status: 200,
      body: { rescored: 1, benchmarkVersion: 2 },
    });
    expect(
      await keyed.count(OutboxEvent, { type: 'benchmark.released', payload: { taskId: task.id } }),
    ).toBeGreaterThan(0);
  });

  describe('a dataset', () => {
    it('says whom it was collected against', async () => {
      await created('against');
      await dataset('against', 'one');
      const id = await model('against');
      const stale = await events('board.stale');

      const changed = await patchDataset('against', 'one', { against: [id, id] });

      expect(changed).toMatchObject({ status: 200, body: { name: 'one', against: [id], publicSince: null } });
      expect((await world.call('GET', '/tasks/against')).body.datasets).toMatchObject([{ against: [id] }]);
      expect(await events('board.stale')).toBe(stale + 1);

      const stranger = await patchDataset('against', 'one', { against: [id, NONE] });
      expect(stranger).toMatchObject({ status: 422, body: { code: 'unknown_model' } });
      expect(stranger.body.detail).toContain(NONE);
      expect(await patchDataset('against', 'none', {})).toMatchObject({ status: 404 });
      expect(await patchDataset('against', 'one', {}, ada)).toMatchObject({ status: 403 });
      expect(await patchDataset('against', 'one', { role: 'round' })).toMatchObject({ status: 422 });
    });

    it('knows since when anybody could read it, also when it is hidden again', async () => {
      await created('public');
      await dataset('public', 'one');
      await dataset('public', 'two', lines('positive'), '?visibility=inputs');
      const sinceOf = async (name: string) =>
        (await em().findOneOrFail(Dataset, { name, task: { slug: 'public' } })).publicSince;
      expect(await sinceOf('one')).toBeNull();
      expect(await sinceOf('two')).toBeInstanceOf(Date);

      await patchDataset('public', 'one', { visibility: 'public' });
      const since = await sinceOf('one');
      expect(since).toBeInstanceOf(Date);
      await patchDataset('public', 'one', { visibility: 'hidden' });
      await dataset('public', 'one', lines('negative'), '?visibility=public');
      expect(await sinceOf('one')).toEqual(since);

      const publicSince = '2019-11-01T00:00:00.000Z';
      expect(await patchDataset('public', 'one', { publicSince })).toMatchObject({ body: { publicSince } });
    });
  });

  describe('the history of a task', () => {
    const publish = () => publishBoard(world, 'history');
    let taskId: string;
    let first: string;
    let second: string;

    beforeAll(async () => {
      await created('history');
      await patch('history', { weights: { accuracy: 1 }, aggregate: { minimumExamples: 1 } });
      const balanced = ['positive', 'negative', 'positive', 'negative'];
      const body = balanced.map((label, id) => JSON.stringify({ id, text: `t${id}`, label })).join('\n');
      await dataset('history', 'one', body);
      taskId = (await em().findOneOrFail(Task, { slug: 'history' })).id;
      [first, second] = [await model('history'), await model('history', randomBytes(400), bob)];
      for (const [id, value] of [
        [first, 0.9],
        [second, 0.7],
      ] as const) {
        const { specification } = await scored(id);
        const accuracy = { value, low: value - 0.1, high: value + 0.1, standardError: 0.05 };
        const cell = { metrics: { accuracy }, predictions: null };
        await em().nativeUpdate(Evaluation, { specification: specification!.id }, cell);
      }
      expect(await publish()).toBe(1);
      await patch('history', { description: 'no change of the board' });
      await patch('history', { weights: { accuracy: 2, mcc: 0 }, metrics: ['accuracy', 'mcc'] });
      expect(await publish()).toBe(2);
      await world.call('POST', `/models/${first}/withdraw`, { token: ada });
      expect(await publish()).toBe(3);
    });

    it('lists the benchmark versions, the newest first, with what changed in data and in words', async () => {
      const { status, body } = await world.call('GET', '/tasks/history/benchmark-versions');

      expect(status).toBe(200);
      expect(body.items).toMatchObject([
        {
          number: 2,
          datasets: [{ name: 'one', version: 1 }],
          recency: 0.8,
          amrsKept: true,
          changes: [
            { kind: 'metrics', after: ['accuracy', 'mcc'], text: 'The metrics changed.' },
            { kind: 'weights', before: { accuracy: 1 }, after: { accuracy: 2, mcc: 0 } },
          ],
        },
        { number: 1, changes: [] },
      ]);
    });

    it('gives score and rank of each model on the last board of each benchmark version', async () => {
      const { status, body } = await world.call('GET', '/tasks/history/history');

      expect(status).toBe(200);
      expect(body).toMatchObject({ task: 'history', performance: 'accuracy' });
      expect(body.versions).toMatchObject([
        { benchmarkVersion: 1, revision: 1, ranked: 2, changes: [] },
        { benchmarkVersion: 2, revision: 3, ranked: 1, changes: [{ kind: 'metrics' }, { kind: 'weights' }] },
      ]);
      expect(body.models).toEqual([
        {
          model: { id: second, name: 'm', owner: 'bob' },
          points: [
            { benchmarkVersion: 1, rank: 2, dynascore: expect.closeTo(70, 9), performance: 0.7 },
            { benchmarkVersion: 2, rank: 1, dynascore: expect.closeTo(70, 9), performance: 0.7 },
          ],
        },
        {
          model: { id: first, name: 'm', owner: 'ada' },
          points: [{ benchmarkVersion: 1, rank: 1, dynascore: expect.closeTo(90, 9), performance: 0.9 }],
        },
      ]);
      const one = await world.call('GET', `/tasks/history/history?models=${second}`);
      const [, latest] = body.models[0].points;
      expect(one.body.models).toEqual([
        { ...body.models[0], points: [body.models[0].points[0], { ...latest, changes: [] }] },
      ]);
      expect(one.body.versions).toEqual(body.versions);
    });

    it('is sent once to a client that keeps it, until there is another board', async () => {
      const known = await world.call('GET', '/tasks/history/history');
      const headers = { 'if-none-match': known.headers.get('etag')! };
      const again = () => world.call('GET', '/tasks/history/history', { headers });
      expect((await again()).status).toBe(304);

      await patch('history', { weights: { accuracy: 1, mcc: 1 } });
      const revision = await publish();
      const { body } = await again();
      expect(body.versions.at(-1)).toMatchObject({ benchmarkVersion: 3, revision });
    });

    it('enqueues the board of a benchmark version whose deadline has passed before its contenders were scored', async () => {
      await patch('history', { aggregate: { recency: 0.5 } });
      expect(await new BoardRevisionRepository(em()).overdueTasks()).not.toContain(taskId);

      const yesterday = new Date(Date.now() - RELEASE_DEADLINE - 1000);
      await em().nativeUpdate(BenchmarkVersion, { task: taskId }, { createdAt: yesterday });
      expect(await new BoardRevisionRepository(em()).overdueTasks()).toContain(taskId);

      await publish();
      expect(await new BoardRevisionRepository(em()).overdueTasks()).not.toContain(taskId);
    });
  });

  describe('an archived model', () => {
    const archive = (id: string, token = ada) => world.call('POST', `/models/${id}/archive`, { token });
    const digestsOf = async (id: string): Promise<string[]> => {
      const found = await em().findOneOrFail(Model, id, { populate: ['specification.artifact'] });
      return [found.specification!.artifact.digest];
    };
    const kept = (digests: readonly string[]) => Promise.all(digests.map((digest) => blobs.has(digest)));

    beforeAll(async () => {
      await created('archive');
      await dataset('archive', 'one');
    });

    it('keeps its scores and gives its bytes back', async () => {
      const id = await model('archive');
      expect(await archive(id)).toMatchObject({ status: 409, body: { code: 'model_at_work' } });
      await scored(id);
      const digests = await digestsOf(id);
      expect(await archive(id, bob)).toMatchObject({ status: 403 });

      const archived = await archive(id);

      expect(archived).toMatchObject({
        status: 200,
        body: { state: 'scored', artifact: { archivedAt: expect.any(String) }, evaluations: [{ state: 'scored' }] },
      });
      expect(await kept(digests)).toEqual([false]);
      expect((await archive(id)).status).toBe(200);
      expect(await world.call('POST', `/models/${id}/rerun`, { token: ada })).toMatchObject({
        status: 409,
        body: { code: 'artifact_archived' },
      });
    });

    it('comes back with the same bytes, and is checked again', async () => {
      const bytes = randomBytes(700);
      const id = await model('archive', bytes, bob);
      await scored(id);
      await archive(id, bob);

      expect(await put(id, bytes, bob)).toMatchObject({ status: 202, body: { state: 'admitting' } });

      const digest = createHash('sha256').update(bytes).digest('hex');
      expect(await em().findOneOrFail(Artifact, { digest })).toMatchObject({
        archivedAt: null,
        state: 'received',
        image: null,
      });
      expect(await blobs.has(digest)).toBe(true);
    });

    it('keeps bytes that something else is made of', async () => {
      const id = await model('archive', randomBytes(600), owner);
      await scored(id);
      const digests = await digestsOf(id);
      await em().nativeUpdate(
        DatasetVersion,
        { dataset: { name: 'one', task: { slug: 'archive' } } },
        { content: digests[0]! },
      );

      expect((await archive(id, owner)).status).toBe(200);

      expect(await kept(digests)).toEqual([true]);
    });

    it('is refused where somebody else has the same bytes', async () => {
      const bytes = randomBytes(800);
      const id = await model('archive', bytes, ada);
      await model('archive', bytes, bob);
      await scored(id);

      expect(await archive(id)).toMatchObject({ status: 409, body: { code: 'artifact_shared' } });
      expect(await kept(await digestsOf(id))).toEqual([true]);
    });
  });
});
