import { join } from 'node:path';
import { Evaluation } from '@assay/evaluation/evaluations';
import { BoardMistakes, BoardRevision, LeaderboardPublisher } from '@assay/leaderboard/boards';
import { Promotion } from '@assay/leaderboard/promotions';
import { LocalBlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { BenchmarksService } from '@assay/tasks/benchmarks';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../factories/worlds/api-world.js';
import { scoredModel } from '../factories/models/scored-models.js';

const LABELS = ['negative', 'positive'] as const;
const TASK = {
  name: 'Sentiment',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 5 },
  quota: { perDay: 50, total: 50 },
  loop: { size: 2, strategy: 'diverse', margin: 15 },
};
/**
 * The number of examples by dataset. Neither is a multiple of 32, the word size of the error sets.
 */
const EXAMPLES = { first: 40, second: 30 } as const;

/** Returns true if a model is wrong on an example, given the dataset and the example's index. */
type Wrong = (dataset: string, place: number) => boolean;
const wrongOn =
  (...tenths: number[]): Wrong =>
  (_, place) =>
    tenths.includes(place % 10);

describe('a diverse loop', () => {
  let world: ApiWorld;
  let token: string;

  beforeAll(async () => {
    world = await apiWorld();
    token = await world.user('owner');
  });
  afterAll(() => world.close());

  const em = () => world.orm.em.fork();
  const publisher = () =>
    new LeaderboardPublisher(
      new BenchmarksService(),
      undefined,
      new BoardMistakes(new LocalBlobStore(join(world.home, 'blobs'))),
    );

  async function task(slug: string): Promise<string> {
    expect((await world.call('POST', '/tasks', { token, body: { ...TASK, slug } })).status).toBe(201);
    for (const [name, examples] of Object.entries(EXAMPLES)) {
      const lines = Array.from({ length: examples }, (_, n) => ({ text: `${name} ${n}`, label: LABELS[n % 2] }));
      await world.call('PUT', `/tasks/${slug}/datasets/${name}?visibility=public`, {
        token,
        type: 'application/x-ndjson',
        body: lines.map((line) => JSON.stringify(line)).join('\n'),
      });
    }
    return (await em().findOneOrFail(Task, { slug })).id;
  }

  const model = (slug: string, name: string, wrong: Wrong): Promise<string> =>
    scoredModel(world, {
      slug,
      name,
      token,
      bytes: `${slug} ${name}`,
      answer: (dataset, { index, gold }) => ({
        text: wrong(dataset, index) ? LABELS.find((label) => label !== gold[0])! : gold[0]!,
      }),
    });

  const inLoop = (taskId: string): Promise<Promotion[]> =>
    em().find(Promotion, { task: taskId, until: null }, { orderBy: { id: 'asc' } });

  it('has the models that share the fewest mistakes in their stored predictions, of those close to the best', async () => {
    const taskId = await task('diverse');
    const best = await model('diverse', 'Best', wrongOn(9));
    await model('diverse', 'Alike', wrongOn(8, 9));
    const other = await model('diverse', 'Other', (dataset, place) =>
      dataset === 'first' ? place === 39 || wrongOn(0, 1)(dataset, place) : wrongOn(2, 3)(dataset, place),
    );
    // it would be the first choice by its answers, but is too far behind
    await model('diverse', 'Weak', wrongOn(0, 1, 2, 3, 4));

    await publisher().publish(em(), taskId);

    const { content } = await em().findOneOrFail(BoardRevision, { task: taskId });
    expect(content.diverse).toEqual({ models: [best, other], wrong: 1, examples: 70 });
    const together = { wrong: 1, examples: 70 };
    expect(await inLoop(taskId)).toMatchObject([
      { model: { id: best }, evidence: { rank: 1, together } },
      { model: { id: other }, evidence: { together, rule: expect.stringContaining('errors differ most') } },
    ]);
    expect((await world.call('GET', '/tasks/diverse/loop')).body.models).toMatchObject([
      { model: { id: best } },
      { model: { id: other }, evidence: { together } },
    ]);
  });

  it('leaves out a model of which not all predictions can be read', async () => {
    const taskId = await task('unread');
    const best = await model('unread', 'Best', wrongOn(9));
    const alike = await model('unread', 'Alike', wrongOn(9, 8));
    const unread = await model('unread', 'Unread', wrongOn(0, 1));
    const { specification } = await em().findOneOrFail(Model, unread);
    const [cell] = await em().find(Evaluation, { specification: specification!.id });
    await em().nativeUpdate(Evaluation, cell!.id, { predictions: null });

    await publisher().publish(em(), taskId);

    const { content } = await em().findOneOrFail(BoardRevision, { task: taskId });
    expect(content.diverse).toEqual({ models: [best, alike], wrong: 7, examples: 70 });
    expect((await inLoop(taskId)).map((each) => each.model.id)).toEqual([best, alike]);
  });

  it('is previewed for the owner with any policy, and nothing changes', async () => {
    const taskId = await task('previewed');
    const best = await model('previewed', 'Best', wrongOn(9));
    const alike = await model('previewed', 'Alike', wrongOn(8, 9));
    const other = await model('previewed', 'Other', wrongOn(0, 1));
    await model('previewed', 'Weak', wrongOn(2, 3, 4));
    const preview = (body: object, as = token) =>
      world.call('POST', '/tasks/previewed/loop/preview', { token: as, body });
    expect((await preview({ size: 1 })).body).toMatchObject({ status: 409, code: 'no_board_yet' });
    await publisher().publish(em(), taskId);
    const before = (await inLoop(taskId)).map((each) => each.model.id);

    const diverse = await preview({ size: 2, strategy: 'diverse', margin: 15 });
    expect(diverse.status).toBe(200);
    expect(diverse.body).toMatchObject({ revision: 1, held: false, together: { wrong: 0, examples: 70 } });
    const told = (body: { models: readonly { model: { id: string }; would: string }[] }) =>
      body.models.map(({ model: { id }, would }) => [id, would]);
    expect(told(diverse.body).slice(0, 3)).toEqual([
      [best, 'stay'],
      [other, 'stay'],
      [alike, 'stay-out'],
    ]);
    expect(diverse.body.models[2].why).toBe('With it, more examples would be wrong for all selected models.');
    expect(diverse.body.models[3].why).toBe('It is more than 15 points of Dynascore behind the best.');

    const three = await preview({ size: 3 });
    expect(three.body.rule).toBe('the best 3 by Dynascore with accuracy above the baseline');
    expect(
      told(three.body)
        .map(([, would]) => would)
        .toSorted(),
    ).toEqual(['join', 'stay', 'stay', 'stay-out']);

    expect((await inLoop(taskId)).map((each) => each.model.id)).toEqual(before);
    expect((await preview({ minimum: { f1: 1 } })).body).toMatchObject({ status: 422, code: 'unknown_metric' });
    const stranger = await world.user('stranger');
    expect((await preview({}, stranger)).body).toMatchObject({ status: 403, code: 'not_the_owner' });
  });
});
