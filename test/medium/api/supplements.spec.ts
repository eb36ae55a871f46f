import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { NoticeDispatcher } from '@assay/application';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { requestForAllModels } from '@assay/evaluation/evaluations';
import { Run, RunLeases } from '@assay/evaluation/runs';
import { OutboxEvent } from '@assay/persistence/outbox';
import { LocalBlobStore } from '@assay/storage';
import { Task } from '@assay/tasks';
import { BenchmarkVersion } from '@assay/tasks/benchmarks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { predictionsStages } from '../../../apps/worker/src/predictions/predictions-stages.js';
import { publishBoard } from '../../factories/models/published-board.js';
import { scoreWaiting } from '../../factories/worlds/answer-scoring.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const IDS = Array.from({ length: 40 }, (_, place) => `e${place}`);
const gold = (place: number): string => (place % 2 === 0 ? 'positive' : 'negative');
const examples = IDS.map((id, place) => JSON.stringify({ id, text: `t${place}`, label: gold(place) })).join('\n');
/** Predictions for a dataset, the first `wrong` of which are wrong. */
const predictions = (dataset: string, wrong = 0, ids = IDS): string =>
  ids
    .map((id, place) => JSON.stringify({ dataset, id, prediction: gold(place < wrong ? place + 1 : place) }))
    .join('\n');

describe('predictions for datasets that came later', () => {
  Logger.overrideLogger(false);
  let world: ApiWorld;
  let blobs: LocalBlobStore;
  const token: Record<string, string> = {};
  let tasks = 0;

  beforeAll(async () => {
    world = await apiWorld();
    blobs = new LocalBlobStore(join(world.home, 'blobs'));
    for (const name of ['owner', 'ada', 'bob']) token[name] = await world.user(name);
  });
  afterAll(() => world.close());

  const em = () => world.orm.em.fork();

  /** Does all that waits: evaluations of new datasets, runs, scores, boards and notifications. */
  async function work(slug: string): Promise<void> {
    const task = await em().findOneOrFail(Task, { slug });
    const parts = { em: em(), blobs, workFolder: join(world.home, 'work') };
    const runs = new EvaluationRuns(em(), new RunLeases(em(), 'worker'), predictionsStages(parts), parts.workFolder);
    for (;;) {
      const [run] = await em().find(Run, { task: task.id, state: 'queued' });
      if (!run) break;
      await runs.execute(run.id, run.stage);
    }
    await scoreWaiting(em(), blobs);
    await publishBoard(world, slug);
    const dispatcher = new NoticeDispatcher(em(), { enqueue: () => Promise.resolve() }, false);
    for (const event of await em().find(OutboxEvent, { type: { $in: ['predictions.awaited', 'inputs.shared'] } })) {
      const { id, type, payload } = event;
      await dispatcher.dispatch({ id: String(id), type, payload, origin: null });
    }
  }

  async function task(more: object = {}): Promise<string> {
    const slug = `later-${++tasks}`;
    const body = {
      slug,
      name: 'Tone',
      inputs: [{ name: 'text', type: 'text' }],
      output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
      performance: 'accuracy',
      weights: { accuracy: 1 },
      aggregate: { minimumExamples: 10 },
      quota: { perDay: 1, total: 1 },
      ...more,
    };
    expect(await world.call('POST', '/tasks', { token: token['owner'], body })).toMatchObject({ status: 201 });
    await dataset(slug, 'first');
    return slug;
  }

  async function dataset(slug: string, name: string, query = '', visibility = 'inputs'): Promise<void> {
    const put = { token: token['owner'], type: 'application/x-ndjson', body: examples };
    const answer = await world.call('PUT', `/tasks/${slug}/datasets/${name}?visibility=${visibility}${query}`, put);
    expect(answer.status).toBe(201);
    if (answer.body.status === 'active') return;
    const version = await world.call('POST', `/tasks/${slug}/benchmark-versions`, { token: token['owner'], body: {} });
    expect(version.status).toBe(201);
    const { id } = await em().findOneOrFail(Task, { slug });
    await requestForAllModels(em(), { taskId: id });
  }

  const sent = (id: string, what: 'artifact' | 'supplement', body: string, by: string) =>
    world.call('PUT', `/models/${id}/${what}`, { token: token[by], type: 'application/octet-stream', body });
  const shown = async (id: string) => (await world.call('GET', `/models/${id}`, { token: token['ada'] })).body;
  const board = async (slug: string, query = '') =>
    (await world.call('GET', `/tasks/${slug}/leaderboard${query}`)).body;

  async function model(slug: string, by: string, file = predictions('first', 4)): Promise<string> {
    const body = { name: `of ${by}`, kind: 'predictions' };
    const { body: created } = await world.call('POST', `/tasks/${slug}/models`, { token: token[by], body });
    expect((await sent(created.id as string, 'artifact', file, by)).status).toBe(202);
    await work(slug);
    expect(await shown(created.id as string)).toMatchObject({ state: 'scored' });
    return created.id as string;
  }

  it('rank a model again that a new dataset took off the board, with its earlier answers', async () => {
    const slug = await task();
    const id = await model(slug, 'ada');
    expect((await board(slug)).rows).toMatchObject([{ rank: 1, model: { id } }]);

    await dataset(slug, 'second');
    await work(slug);

    const until = await shown(id);
    expect(until).toMatchObject({ state: 'scored', awaits: [{ dataset: 'second', use: 'scoring' }] });
    expect(until.evaluations[1]).toMatchObject({
      state: 'cancelled',
      failure: { code: 'predictions_awaited', fault: 'task' },
    });
    const incomplete = await board(slug);
    expect(incomplete.rows).toEqual([]);
    expect(incomplete.incomplete).toMatchObject([
      { model: { id }, missing: [{ dataset: 'second', why: 'predictions are still missing' }] },
    ]);
    // on the datasets that it has, it is ranked
    expect((await board(slug, '?datasets=second:0')).rows).toMatchObject([{ rank: 1, model: { id } }]);
    const notifications = await world.call('GET', '/me/notifications', { token: token['ada'] });
    expect(notifications.body.items[0]).toMatchObject({
      kind: 'model_incomplete',
      model: id,
      title: `Your model "of ada" has no predictions for "second" of ${slug}, so it has no rank. Add them.`,
    });

    const added = predictions('second', 8);
    const answer = await sent(id, 'supplement', added, 'ada');
    expect(answer).toMatchObject({ status: 202, body: { id, state: 'admitting' } });
    await work(slug);

    const whole = await shown(id);
    expect(whole).toMatchObject({
      state: 'scored',
      awaits: [],
      supplements: [{ state: 'accepted', digest: createHash('sha256').update(added).digest('hex') }],
      evaluations: [
        { dataset: 'first', metrics: { accuracy: { value: 0.9 } } },
        { dataset: 'second', metrics: { accuracy: { value: 0.8 } } },
      ],
    });
    expect((await board(slug)).rows).toMatchObject([{ rank: 1, model: { id } }]);
    // the quota of one submission is used, and the supplement did not count
    const quota = await world.call('GET', `/tasks/${slug}/quota`, { token: token['ada'] });
    expect(quota.body).toMatchObject({ used: 1 });
    // the same file again is no second one
    expect((await sent(id, 'supplement', added, 'ada')).status).toBe(200);
  });

  it('change nothing for others with the same file', async () => {
    const slug = await task();
    const [ada, bob] = [await model(slug, 'ada'), await model(slug, 'bob')];
    await dataset(slug, 'second');
    await work(slug);
    expect((await sent(ada, 'supplement', predictions('second', 40), 'ada')).status).toBe(202);
    await work(slug);

    expect(await shown(bob)).toMatchObject({ awaits: [{ dataset: 'second' }] });
    expect((await shown(bob)).supplements).toBeUndefined();
    expect((await sent(bob, 'supplement', predictions('second', 10), 'bob')).status).toBe(202);
    await work(slug);
    const { rows } = await board(slug);
    expect(rows.map((row: { model: { id: string } }) => row.model.id)).toEqual([bob, ada]);
    expect(rows.some((row: { model: { copies?: string[] } }) => row.model.copies)).toBe(false);
  });

  it.each([
    ['no JSON', () => '{', 'predictions_malformed'],
    [
      'an answer that was given',
      () => `${predictions('second')}\n${predictions('first', 0, ['e0'])}`,
      'predictions_repeated',
    ],
    ['part of a dataset', () => predictions('second', 0, IDS.slice(1)), 'predictions_incomplete'],
    ['unknown examples', () => `${predictions('second')}\n${predictions('second', 0, ['x'])}`, 'predictions_unknown'],
    ['an unknown dataset', () => predictions('third'), 'predictions_unknown'],
  ])('are refused for %s, and the model stays as it is', async (_what, file, code) => {
    const slug = await task();
    const id = await model(slug, 'ada');
    await dataset(slug, 'second');
    await work(slug);
    expect((await sent(id, 'supplement', file(), 'ada')).status).toBe(202);
    await work(slug);

    const after = await shown(id);
    expect(after).toMatchObject({ state: 'scored', supplements: [{ state: 'refused', failure: { code } }] });
    expect(after.awaits).toMatchObject([{ dataset: 'second' }]);
    expect(after.evaluations[0]).toMatchObject({ state: 'scored', metrics: { accuracy: { value: 0.9 } } });

    expect((await sent(id, 'supplement', predictions('second'), 'ada')).status).toBe(202);
    await work(slug);
    expect((await shown(id)).awaits).toEqual([]);
  });

  it('are accepted until the deadline of the task', async () => {
    const slug = await task({ supplements: { days: 14 } });
    const id = await model(slug, 'ada');
    await dataset(slug, 'second');
    await work(slug);
    const { createdAt } = await em().findOneOrFail(BenchmarkVersion, { task: { slug }, number: 2 });
    const end = new Date(createdAt.getTime() + 14 * 86_400_000).toISOString();
    expect((await shown(id)).awaits).toEqual([{ dataset: 'second', use: 'scoring', until: end }]);

    await em().nativeUpdate(
      BenchmarkVersion,
      { task: { slug } },
      { createdAt: new Date(Date.now() - 15 * 86_400_000) },
    );
    expect((await shown(id)).awaits).toEqual([]);
    expect((await sent(id, 'supplement', predictions('second'), 'ada')).status).toBe(202);
    await work(slug);
    expect(await shown(id)).toMatchObject({
      state: 'scored',
      supplements: [{ state: 'refused', failure: { code: 'predictions_late' } }],
    });

    const change = { token: token['owner'], body: { supplements: { days: 30 } } };
    expect((await world.call('PATCH', `/tasks/${slug}`, change)).status).toBe(200);
    expect((await sent(id, 'supplement', predictions('second'), 'ada')).status).toBe(202);
    await work(slug);
    expect((await shown(id)).supplements).toMatchObject([{ state: 'accepted' }]);
  });

  it('are added to a hidden dataset while its owner shares the inputs with listed submitters', async () => {
    const slug = await task();
    const id = await model(slug, 'ada');
    await dataset(slug, 'secret', '', 'hidden');
    await work(slug);
    const content = (by: string) => world.call('GET', `/tasks/${slug}/datasets/secret/content`, { token: token[by] });
    const share = (inputsUntil: string | null) =>
      world.call('PATCH', `/tasks/${slug}/datasets/secret`, { token: token['owner'], body: { inputsUntil } });
    const until = new Date(Date.now() + 86_400_000).toISOString();
    expect((await shown(id)).awaits).toEqual([]);
    expect(await share(until)).toMatchObject({ status: 409, body: { code: 'no_submitters' } });

    const list = { token: token['owner'], body: { usernames: ['ada'] } };
    expect((await world.call('PUT', `/tasks/${slug}/submitters`, list)).status).toBe(200);
    expect(await share(until)).toMatchObject({ status: 200, body: { inputsUntil: until } });
    await work(slug);
    const { items } = (await world.call('GET', '/me/notifications', { token: token['ada'] })).body;
    expect(items[0].title).toContain('You may read its inputs and add them until');
    expect((await content('bob')).status).toBe(404);
    const read = await content('ada');
    expect(read.status).toBe(200);
    expect(read.body).toContain('"text":"t0"');
    expect(read.body).not.toContain('label');
    const audit = await world.call('GET', '/admin/audit?action=dataset.inputs_read', { token: world.admin });
    expect(audit.body.items[0]).toMatchObject({ subject: { name: `${slug}/secret` } });

    expect((await shown(id)).awaits).toEqual([{ dataset: 'secret', use: 'scoring', until }]);
    expect((await sent(id, 'supplement', predictions('secret', 10), 'ada')).status).toBe(202);
    await work(slug);
    expect((await board(slug)).rows).toMatchObject([{ rank: 1, model: { id } }]);

    expect((await share(null)).status).toBe(200);
    expect((await content('ada')).status).toBe(404);
  });

  it('are refused for shared inputs after their time', async () => {
    const slug = await task();
    const id = await model(slug, 'ada');
    await dataset(slug, 'secret', '', 'hidden');
    await work(slug);
    const list = { token: token['owner'], body: { usernames: ['ada'] } };
    await world.call('PUT', `/tasks/${slug}/submitters`, list);
    const past = { inputsUntil: new Date(Date.now() - 1000).toISOString() };
    await world.call('PATCH', `/tasks/${slug}/datasets/secret`, { token: token['owner'], body: past });
    expect((await sent(id, 'supplement', predictions('secret'), 'ada')).status).toBe(202);
    await work(slug);
    expect((await shown(id)).supplements).toMatchObject([{ failure: { code: 'predictions_late' } }]);
  });

  it('are not for others, nor for models that run here, nor where nothing is missing', async () => {
    const slug = await task();
    const id = await model(slug, 'ada');
    expect(await sent(id, 'supplement', predictions('second'), 'bob')).toMatchObject({ status: 403 });
    expect(await sent(id, 'supplement', predictions('first'), 'ada')).toMatchObject({
      status: 409,
      body: { code: 'nothing_missing' },
    });
    expect(await sent(id, 'supplement', '', 'ada')).toMatchObject({ status: 422, body: { code: 'empty_artifact' } });
    const body = { name: 'runs', kind: 'container' };
    const other = await world.call('POST', `/tasks/${slug}/models`, { token: token['bob'], body });
    expect(await sent(other.body.id as string, 'supplement', 'x', 'bob')).toMatchObject({
      status: 409,
      body: { code: 'not_predictions' },
    });
  });

  it('are archived with the model, and count towards the storage of its owner until then', async () => {
    const slug = await task();
    // nobody else may have the file of an archived model
    const id = await model(slug, 'ada', predictions('first', 5));
    await dataset(slug, 'second');
    await work(slug);
    const file = predictions('second', 3);
    const storage = async () =>
      (await world.call('GET', '/me/storage', { token: token['ada'] })).body.artifacts as number;
    const before = await storage();
    await sent(id, 'supplement', file, 'ada');
    expect((await storage()) - before).toBe(Buffer.byteLength(file));
    await work(slug);

    expect((await world.call('POST', `/models/${id}/archive`, { token: token['ada'] })).status).toBe(200);
    expect(await storage()).toBeLessThan(before);
    const digest = createHash('sha256').update(file).digest('hex');
    expect(await blobs.has(digest)).toBe(false);
    expect((await shown(id)).supplements[0].archivedAt).toBeDefined();
    expect((await shown(id)).evaluations).toMatchObject([{ state: 'scored' }, { state: 'scored' }]);
  });
});
