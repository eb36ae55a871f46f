import type { LoopView } from '@assay/contracts/boards';
import type { ModelView } from '@assay/contracts/models';
import { beforeAll, expect, it } from '@jest/globals';
import type { ServiceClient } from '../factories/worlds/service-client.js';
import { describeWithRealData, sharedLines, sharedText } from '../factories/worlds/shared-folder.js';
import { sharedService } from '../factories/worlds/shared-service.js';

describeWithRealData('what three real systems answered on XQuAD, as files of predictions', () => {
  let world: ServiceClient;

  beforeAll(async () => {
    world = await sharedService();
    await world.task({
      slug: 'xquad',
      name: 'Question answering',
      inputs: [
        { name: 'context', type: 'text' },
        { name: 'question', type: 'text' },
      ],
      output: { name: 'answers', type: 'span', of: 'context' },
      performance: 'squad_f1',
      metrics: ['exact_match'],
      cluster: 'context',
      quota: { perDay: 20 },
      weights: { squad_f1: 1 },
    });
    await world.dataset('xquad', 'xquad-en', 'visibility=inputs', sharedText('data/qa/xquad.en.jsonl'));
  });

  it.each([
    ['r-net-plus', 83.41, 72.77],
    ['match-lstm', 72.67, 61.09],
  ])('gives %s the scores that it has', async (name, f1, exactMatch) => {
    const model = await submitted(name, answersOf(name));

    expect(model).toMatchObject({ state: 'scored' });
    const { squad_f1, exact_match } = model.evaluations[0]!.metrics;
    expect(percent(squad_f1!.value)).toBe(f1);
    expect(percent(exact_match!.value)).toBe(exactMatch);
    for (const { value, low, high } of [squad_f1!, exact_match!]) {
      expect(low).toBeLessThan(value);
      expect(high).toBeGreaterThan(value);
    }
  });

  it('refuses the one that leaves two questions out, and names them', async () => {
    const { state, failure, evaluations } = await submitted('logistic-regression', answersOf('logistic-regression'));

    expect([state, failure?.code, failure?.fault]).toEqual(['failed', 'predictions_incomplete', 'model']);
    expect(failure?.message).toMatch(/^2 /);
    expect(failure?.message).toContain('5726385e271a42140099d799');
    expect(failure?.message).toContain('5733f309d058e614000b664a');
    expect(evaluations.map(({ metrics }) => metrics)).toEqual(evaluations.map(() => ({})));
  });

  it('refuses ids that are in no dataset, and names them', async () => {
    const lines = [...answersOf('r-net-plus'), { dataset: 'xquad-en', id: 'no-such-question', prediction: 'x' }];
    const { failure } = await submitted('a stranger', lines);

    expect(failure).toMatchObject({ code: 'predictions_unknown', fault: 'model' });
    expect(failure?.message).toContain('no-such-question');
  });

  it('refuses a line that is no prediction by its number', async () => {
    const [first, ...rest] = answersOf('r-net-plus');
    const { failure } = await submitted('a number', [first!, { ...rest[0]!, prediction: 7 }, ...rest.slice(1)]);

    expect(failure).toMatchObject({ code: 'predictions_malformed', fault: 'model' });
    expect(failure?.message).toContain('Line 2');
  });

  it('ranks those that are complete, and none of them is in the loop', async () => {
    const board = await world.board('xquad', ({ rows }) => rows.length === 2);
    const loop = (await world.call('GET', '/tasks/xquad/loop')).body as LoopView;

    expect(board.rows.map(({ model }) => model.name)).toEqual(['r-net-plus', 'match-lstm']);
    expect(board.rows[0]!.dynascore).toBeCloseTo(83.41, 2);
    expect(loop.models).toEqual([]);
  });

  async function submitted(name: string, lines: readonly object[]): Promise<ModelView> {
    const file = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const id = await world.submit('xquad', { name, kind: 'predictions' }, file);
    return (await world.untilFinal(id)).model;
  }
});

interface Prediction {
  readonly dataset: string;
  readonly id: string;
  readonly prediction: unknown;
}

const answersOf = (name: string): Prediction[] =>
  sharedLines<{ id: string; answer: string }>('data/qa/predictions', `${name}.jsonl`).map(({ id, answer }) => ({
    dataset: 'xquad-en',
    id,
    prediction: answer,
  }));

const percent = (value: number): number => Math.round(value * 10_000) / 100;
