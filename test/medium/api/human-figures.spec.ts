import { DatasetVersion } from '@assay/tasks/datasets';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { publishBoard } from '../../factories/models/published-board.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['good', 'bad'] },
  performance: 'accuracy',
  metrics: ['accuracy', 'mcc'],
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 1 },
};
const LINES = Array.from({ length: 10 }, (_, index) =>
  JSON.stringify({ id: String(index), text: `text ${index}`, label: index < 5 ? 'good' : 'bad' }),
).join('\n');
const PAPER = 'An example of a paper, 2016, table 2';

describe('published human performance on a dataset', () => {
  let world: ApiWorld;
  let owner: string;

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    expect((await world.call('POST', '/tasks', { token: owner, body: TASK })).status).toBe(201);
    for (const name of ['imported', 'collected']) {
      const put = { token: owner, type: 'application/x-ndjson', body: LINES };
      expect((await world.call('PUT', `/tasks/tone/datasets/${name}?visibility=public`, put)).status).toBe(201);
    }
    const em = world.orm.em.fork();
    const collected = await em.findOneOrFail(DatasetVersion, { dataset: { name: 'collected' } });
    collected.human = { accuracy: { n: 30, value: 0.9, low: 0.8, high: 0.95 } };
    await em.flush();
    await scoredModel(world, { slug: 'tone', name: 'Model', token: owner, answer: () => ({ text: 'good' }) });
  }, 300_000);
  afterAll(() => world.close());

  const change = (human: unknown, name = 'imported') =>
    world.call('PATCH', `/tasks/tone/datasets/${name}`, { token: owner, body: { human } });

  it('is shown with its source, on the board and in the saturation, until it is removed', async () => {
    const given = await change({ source: PAPER, metrics: { accuracy: { value: 0.8, low: 0.7, high: 0.9, n: 100 } } });
    expect([given.status, given.body.human]).toEqual([
      200,
      { source: PAPER, metrics: { accuracy: { value: 0.8, low: 0.7, high: 0.9, n: 100 } } },
    ]);
    const { body: task } = await world.call('GET', '/tasks/tone');
    expect((task.datasets as { human: unknown }[]).map(({ human }) => human)).toEqual([
      given.body.human,
      { source: null, metrics: { accuracy: { value: 0.9, low: 0.8, high: 0.95, n: 30 } } },
    ]);

    expect(await publishBoard(world, 'tone')).not.toBeNull();
    const { body: board } = await world.call('GET', '/tasks/tone/leaderboard');
    expect((board.references as { name: string }[]).find(({ name }) => name === 'human')).toMatchObject({
      metrics: { accuracy: { value: expect.closeTo(0.85, 12) } },
      datasets: { imported: { accuracy: { value: 0.8, low: 0.7, high: 0.9 } } },
    });
    const { body: saturation } = await world.call('GET', '/tasks/tone/saturation');
    expect(saturation.overall).toMatchObject({ datasets: ['imported', 'collected'], reason: null });

    expect((await change(null)).body.human).toBeNull();
    expect(await publishBoard(world, 'tone')).not.toBeNull();
    const { body: after } = await world.call('GET', '/tasks/tone/leaderboard');
    expect((after.references as { name: string }[]).find(({ name }) => name === 'human')).toMatchObject({
      metrics: {},
      datasets: { collected: { accuracy: { value: 0.9 } } },
    });
  });

  it.each([
    ['a metric that the task lacks', { source: PAPER, metrics: { macro_f1: { value: 0.8 } } }, 'unknown_metric'],
    ['a metric that does not exist', { source: PAPER, metrics: { charm: { value: 0.8 } } }, 'unknown_metric'],
    ['a value outside of the range', { source: PAPER, metrics: { accuracy: { value: 80 } } }, 'validation_failed'],
    [
      'an interval beside the value',
      { source: PAPER, metrics: { accuracy: { value: 0.8, low: 0.9 } } },
      'validation_failed',
    ],
    ['no metric', { source: PAPER, metrics: {} }, 'validation_failed'],
    ['no source', { source: ' ', metrics: { accuracy: { value: 0.8 } } }, 'validation_failed'],
  ])('is refused with %s', async (_, human, code) => {
    const refused = await change(human);
    expect([refused.status, refused.body.code]).toEqual([422, code]);
  });

  it('does not replace what was measured here', async () => {
    const refused = await change({ source: PAPER, metrics: { accuracy: { value: 0.8 } } }, 'collected');
    expect([refused.status, refused.body.code]).toEqual([409, 'human_figures_measured']);
    expect((await change(null, 'collected')).status).toBe(409);
  });
});
