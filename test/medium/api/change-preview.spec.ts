import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiWorld, apiWorld } from '../../factories/worlds/api-world.js';
import { scoredModel } from '../../factories/models/scored-models.js';
import { publishBoard } from '../../factories/models/published-board.js';

const TASK = {
  slug: 'tone',
  name: 'Tone',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['negative', 'positive'] },
  performance: 'accuracy',
  weights: { accuracy: 1 },
  aggregate: { minimumExamples: 10, static: 0.3 },
};
const N = 40;
/** A change that gives the rounds a small weight. */
const CHANGE = { aggregate: { static: 0.9 }, loop: { size: 2 } };

describe('the preview of a change', () => {
  let world: ApiWorld;
  let owner: string;
  let round: string;
  let still: string;

  const preview = (body: object, token = owner) => world.call('POST', '/tasks/tone/preview', { token, body });
  const board = async () => (await world.call('GET', '/tasks/tone/leaderboard')).body;
  const publish = () => publishBoard(world, 'tone');

  beforeAll(async () => {
    world = await apiWorld();
    owner = await world.user('owner');
    await world.call('POST', '/tasks', { token: owner, body: TASK });
    for (const [name, query] of [
      ['r1', 'role=round&round=1'],
      ['fixed', 'role=static'],
    ]) {
      const lines = Array.from({ length: N }, (_, n) => ({
        text: `${name} ${n}`,
        label: n % 2 ? 'positive' : 'negative',
      }));
      await world.call('PUT', `/tasks/tone/datasets/${name}?visibility=public&${query}`, {
        token: owner,
        type: 'application/x-ndjson',
        body: lines.map((line) => JSON.stringify(line)).join('\n'),
      });
    }
    const model = (name: string, better: string) =>
      scoredModel(world, {
        slug: 'tone',
        name,
        token: owner,
        answer: (dataset, { index, gold }) => {
          const isRight = index % 10 >= (dataset === better ? 1 : 3);
          return { text: isRight === (gold[0] === 'positive') ? 'positive' : 'negative' };
        },
      });
    round = await model('Of rounds', 'r1');
    still = await model('Of the static set', 'fixed');
  }, 300_000);
  afterAll(() => world.close());

  it('says what the board and the loop will be, and the change then makes them so', async () => {
    expect((await preview(CHANGE)).body).toMatchObject({ board: null, loop: null });
    await publish();
    const before = await board();
    expect(before.rows.map(({ model }: { model: { id: string } }) => model.id)).toEqual([round, still]);

    const { status, body } = await preview(CHANGE);
    expect(status).toBe(200);
    expect(body).toMatchObject({ benchmarkVersion: 2, rescored: 0, evaluations: 0 });
    expect(body.changes).toEqual([
      expect.objectContaining({ kind: 'aggregate', text: 'The aggregation of datasets changed.' }),
    ]);
    expect(body.board).toMatchObject([
      { id: still, rank: 2, newRank: 1 },
      { id: round, rank: 1, newRank: 2 },
    ]);
    expect(
      body.loop.models.map(({ model, would }: { model: { id: string }; would: string }) => [model.id, would]),
    ).toEqual([
      [still, 'join'],
      [round, 'stay'],
    ]);
    // the preview has changed nothing
    expect((await board()).revision).toBe(before.revision);
    expect((await world.call('GET', '/tasks/tone')).body).toMatchObject({ benchmarkVersion: 1, loop: { size: 1 } });

    await world.call('PATCH', '/tasks/tone', { token: owner, body: CHANGE });
    await publish();
    const { rows } = await board();
    expect(
      rows.map(({ model, dynascore }: { model: { id: string }; dynascore: number }) => [model.id, dynascore]),
    ).toEqual(
      body.board.map(({ id, dynascore }: { id: string; dynascore: number }) => [id, expect.closeTo(dynascore, 9)]),
    );
  });

  it('says what is scored again, and what is not known before', async () => {
    const { body } = await preview({ metrics: ['macro_f1'] });
    expect(body).toMatchObject({ rescored: 4, evaluations: 0, board: null, loop: null });
    expect((await preview({ perturbations: { robustness: ['case'] } })).body.evaluations).toBeNull();
    expect((await preview({ name: 'Another' })).body).toMatchObject({
      benchmarkVersion: null,
      changes: [],
      rescored: 0,
    });
  });

  it('refuses what the change would be refused for, and who does not own the task', async () => {
    expect((await preview({ inputs: [{ name: 'words', type: 'text' }] })).body).toMatchObject({ code: 'fixed_field' });
    // no example has that field
    expect((await preview({ slices: ['source'] })).body).toMatchObject({ code: 'unknown_slice_field' });
    expect((await preview({ weights: { accuracy: -1 } })).body).toMatchObject({ code: 'invalid_weight' });
    expect((await preview({}, await world.user('stranger'))).body).toMatchObject({ code: 'not_the_owner' });
  });
});
