import { RoundModel } from '@assay/collection/rounds';
import { Evaluation } from '@assay/evaluation/evaluations';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { type DatasetRow } from '@assay/tasks/examples';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel, scoreQueued } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';

const LABELS = ['bad', 'mixed', 'fair', 'good'];
const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: LABELS },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 2 },
  loop: { minimum: {} },
};
const EXAMPLES = 20;
const HUMAN = { n: 60, value: 0.9, low: 0.8, high: 0.95 };

/** The number of correct answers of each model, of 20. */
const RIGHT = { First: 10, Second: 14, Third: 18 } as const;
type Name = keyof typeof RIGHT;

const lines = Array.from({ length: EXAMPLES }, (_, n) =>
  JSON.stringify({ id: n, text: `text ${n}`, label: LABELS[n % 4] }),
).join('\n');

/** The answers of a model. `Second` was a target model of round 2, whose examples fool it. */
const answer =
  (name: Name) =>
  (dataset: string, { index, gold }: DatasetRow) => {
    const right = dataset === 'r2' && name === 'Second' ? 1 : RIGHT[name];
    return { text: index < right ? gold[0]! : LABELS.find((label) => label !== gold[0])! };
  };

describe('how models and people do over time', () => {
  let world: ApiWorld;
  let owner: string;
  const ids = new Map<Name, string>();

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    expect((await world.call('POST', '/tasks', { token: owner, body: TASK })).status).toBe(201);
    await dataset('base', 'role=static');
    await dataset('r1', 'role=round&round=1');
    await known('r1');
    for (const name of ['First', 'Second'] as const) await model(name);
    await publish();
    await dataset('r2', 'role=round&round=2');
    const against = [ids.get('Second')!];
    const patched = await world.call('PATCH', '/tasks/tone/datasets/r2', { token: owner, body: { against } });
    expect(patched.status).toBe(200);
    expect((await world.call('POST', '/tasks/tone/benchmark-versions', { token: owner, body: {} })).status).toBe(201);
    await inRoundOne('First');
    for (const [name, id] of ids) await scored(name, id);
    await model('Third');
    await publish();
  }, 300_000);
  afterAll(() => world.close());

  async function dataset(name: string, query: string): Promise<void> {
    const put = { token: owner, type: 'application/x-ndjson', body: lines };
    expect((await world.call('PUT', `/tasks/tone/datasets/${name}?visibility=public&${query}`, put)).status).toBe(201);
  }

  /** Adds the human performance, as freezing a round does. */
  async function known(name: string): Promise<void> {
    const em = world.orm.em.fork();
    const version = await em.findOneOrFail(DatasetVersion, { dataset: { name } });
    version.human = { accuracy: HUMAN };
    await em.flush();
  }

  async function model(name: Name): Promise<void> {
    const token = owner;
    ids.set(name, await scoredModel(world, { slug: 'tone', name, token, answer: answer(name) }));
    await world.orm.em.fork().nativeUpdate(Model, ids.get(name)!, { state: 'scored' });
  }

  /** Scores the model on `r2`, which was added after its run. */
  async function scored(name: Name, id: string): Promise<void> {
    const em = world.orm.em.fork();
    const { specification } = await em.findOneOrFail(Model, id);
    const datasetVersion = await em.findOneOrFail(DatasetVersion, { dataset: { name: 'r2' } });
    em.create(Evaluation, { specification: specification!, datasetVersion, state: 'queued' });
    await em.flush();
    await scoreQueued(world, id, answer(name));
  }

  async function inRoundOne(name: Name): Promise<void> {
    const em = world.orm.em.fork();
    const round = await em.findOneOrFail(Round, { number: 1 });
    const now = new Date();
    em.create(RoundModel, { round, model: ids.get(name)!, reason: 'named', since: now, until: now });
    await em.flush();
  }

  async function publish(): Promise<void> {
    expect(await publishBoard(world, 'tone')).not.toBeNull();
  }

  const get = async (path: string) => {
    const { status, body } = await world.call('GET', path);
    expect(status).toBe(200);
    return body;
  };

  it('has people on the board, without a rank, and without a mean while a dataset lacks them', async () => {
    const { references, rows } = await get('/tasks/tone/leaderboard');
    const human = (references as { name: string }[]).find(({ name }) => name === 'human');

    expect(human).toEqual({
      name: 'human',
      metrics: {},
      datasets: { r1: { accuracy: { value: 0.9, low: 0.8, high: 0.95 } } },
    });
    expect(rows).toHaveLength(3);
    const r1 = await get('/tasks/tone/leaderboard?datasets=base:0,r1:1,r2:0');
    const [row] = (r1.references as { name: string; metrics: { accuracy?: { value: number } } }[]).filter(
      ({ name }) => name === 'human',
    );
    expect(row!.metrics.accuracy!.value).toBeCloseTo(0.9, 12);
  });

  it('shows on each round the models that were the best on the first board that had it', async () => {
    const { performance, rounds } = await get('/tasks/tone/trend?models=2');
    const shown = (rounds as { models: { model: { name: string }; value: { value: number } }[] }[]).map(({ models }) =>
      models.map(({ model: { name }, value }) => [name, value.value]),
    );

    expect(performance).toBe('accuracy');
    expect(rounds).toMatchObject([
      { round: 1, dataset: 'r1', use: 'scoring', benchmarkVersion: 1, revision: 1, human: { value: 0.9 } },
      { round: 2, dataset: 'r2', use: 'scoring', benchmarkVersion: 2, revision: 2, human: null },
    ]);
    expect(shown).toEqual([
      [
        ['Second', 0.7],
        ['First', 0.5],
      ],
      [
        ['Third', 0.9],
        ['Second', 0.05],
      ],
    ]);
    // First was made a target model of round 1 by hand; Second was promoted by board 1, and
    // replaced by Third with board 2
    expect(rounds[0].models).toMatchObject([
      { rank: 1, collectedAgainst: false, inLoop: true },
      { rank: 2, collectedAgainst: true, inLoop: false },
    ]);
    expect(rounds[1].models).toMatchObject([
      { rank: 1, collectedAgainst: false, inLoop: true },
      { rank: 2, collectedAgainst: true, inLoop: false },
    ]);
    const [{ low, high }] = (rounds[1].models as { value: { low: number; high: number } }[]).map(
      ({ value }) => value,
    ) as [{ low: number; high: number }];
    expect(low).toBeLessThan(0.9);
    expect(high).toBeGreaterThan(0.9);
  });

  it('says how near the best came to people: the first model −1, people 0', async () => {
    const { performance, revision, overall, datasets } = await get('/tasks/tone/saturation');
    const points = (of: { points: { model: { name: string }; best: number; saturation: number | null }[] }) =>
      of.points.map(({ model: { name }, best, saturation }) => [name, best, saturation]);
    const curve = [
      ['First', expect.closeTo(0.5, 12), expect.closeTo(-1, 12)],
      ['Second', expect.closeTo(0.7, 12), expect.closeTo((0.7 - 0.9) / 0.4, 12)],
      ['Third', expect.closeTo(0.9, 12), expect.closeTo(0, 12)],
    ];

    expect([performance, revision]).toEqual(['accuracy', 2]);
    const [base, r1, r2] = datasets;
    expect(r1).toMatchObject({ dataset: 'r1', round: 1, first: 0.5, human: 0.9, reason: null });
    expect(points(r1)).toEqual(curve);
    expect(overall).toMatchObject({ datasets: ['r1'], human: expect.closeTo(0.9, 12), reason: null });
    expect(points(overall)).toEqual(curve);
    expect(base).toMatchObject({ dataset: 'base', first: 0.5, human: null, reason: 'no_human_figure' });
    // data collected against Second says nothing about Second
    expect(points(r2)).toEqual([
      ['First', 0.5, null],
      ['Third', 0.9, null],
    ]);
  });

  it('is in the overview: who leads, and the examples of rounds that came as files', async () => {
    const { items } = await get('/overview');

    expect(items).toMatchObject([
      {
        task: 'tone',
        rounds: 2,
        openRound: null,
        examples: 2 * EXAMPLES,
        vmer: { numerator: 0, denominator: 0, value: null },
        models: 3,
        leaders: [{ rank: 1, model: { name: 'Third' } }, { rank: 2 }, { rank: 3 }],
      },
    ]);
    expect(items[0].leaders[0].performance.value).toBeCloseTo(0.9, 12);
    const { performance, overall } = await get('/tasks/tone/saturation');
    expect(items[0].saturation).toEqual({ performance, ...overall });
  });
});
