import type { LoopPolicy } from '@assay/contracts/tasks';
import { describe, expect, it } from '@jest/globals';
import { boardContent, published } from '../../../../test/factories/models/board-content.js';
import { chooseLoop, diversePool } from './promotion.policy.js';

type Models = Parameters<typeof boardContent>[0];

const NAMED: Models = {
  best: { accuracy: 0.9, memory: 3 },
  good: { accuracy: 0.85, memory: 1 },
  fair: { accuracy: 0.8, memory: 1 },
  poor: { accuracy: 0.59, memory: 1 },
};
const board = (loop: Partial<LoopPolicy>, models: Models = NAMED) =>
  published(boardContent(models, { loop, weights: { accuracy: 1 } }));
const chosen = (loop: Partial<LoopPolicy>, { incumbents = [] as string[], models = NAMED } = {}) =>
  chooseLoop(board(loop, models), new Set(incumbents)).map(({ model }) => model.id);

describe('the loop', () => {
  it('takes the best, as many as the policy says', () => {
    expect(chosen({})).toEqual(['best']);
    expect(chosen({ size: 3 })).toEqual(['best', 'good', 'fair']);
    expect(chosen({ size: 0 })).toEqual([]);
    expect(chosen({ size: 9 })).toHaveLength(4);
  });

  it('keeps to the bounds', () => {
    expect(chosen({ size: 4, maximum: { memory: 2 } })).toEqual(['good', 'fair', 'poor']);
    expect(chosen({ size: 4, minimum: { accuracy: 0.85 } })).toEqual(['best', 'good']);
    expect(chosen({ size: 4, maximum: { latency_p95: 500 } })).toEqual([]);
  });

  it('takes only models whose whole interval lies above that of the majority label, if asked for the baseline', () => {
    // the majority label is right in 0.6 of the examples
    const models = { above: { accuracy: 0.62 }, about: { accuracy: 0.609 }, below: { accuracy: 0.5 } };
    expect(chosen({ size: 3, minimum: { accuracy: 'baseline' } }, { models })).toEqual(['above']);
  });

  it('never takes predictions: nobody can serve them', () => {
    const models: Models = { file: { accuracy: 0.99, kind: 'predictions' }, run: { accuracy: 0.7 } };
    expect(chosen({ size: 2 }, { models })).toEqual(['run']);
  });

  it('never takes a model without a rank', () => {
    expect(chosen({ size: 2 }, { models: { whole: { accuracy: 0.7 }, part: { accuracy: { one: null } } } })).toEqual([
      'whole',
    ]);
  });

  it('replaces an incumbent by a model that leads it by more than the margin', () => {
    expect(chosen({ margin: 4 }, { incumbents: ['good'] })).toEqual(['best']);
    expect(chosen({ margin: 6 }, { incumbents: ['good'] })).toEqual(['good']);
    expect(chosen({ size: 2, margin: 6 }, { incumbents: ['good', 'fair'] })).toEqual(['best', 'good']);
    expect(chosen({}, { incumbents: ['fair'] })).toEqual(['best']);
  });

  it('lets an incumbent go that meets the bounds no more, or stands on the board no more', () => {
    expect(chosen({ margin: 50, maximum: { memory: 2 } }, { incumbents: ['best'] })).toEqual(['good']);
    expect(chosen({ margin: 50 }, { incumbents: ['gone'] })).toEqual(['best']);
  });

  it('takes no more incumbents than there are places', () => {
    expect(chosen({ size: 1, margin: 50 }, { incumbents: ['fair', 'good'] })).toEqual(['good']);
  });

  it('bounds the models of one owner, who may replace a model of their own by a better one', () => {
    const models: Models = {
      a1: { accuracy: 0.9, owner: 'ada' },
      a2: { accuracy: 0.88, owner: 'ada' },
      b1: { accuracy: 0.8, owner: 'bob' },
    };
    expect(chosen({ size: 2, perOwner: 1 }, { models })).toEqual(['a1', 'b1']);
    expect(chosen({ size: 2 }, { models })).toEqual(['a1', 'a2']);
    expect(chosen({ size: 2, perOwner: 1 }, { models, incumbents: ['a2', 'b1'] })).toEqual(['a1', 'b1']);
    expect(chosen({ size: 3, perOwner: 1 }, { models, incumbents: ['a1', 'a2'] })).toEqual(['a1', 'b1']);
  });

  it('never holds two copies of a model', () => {
    const models: Models = {
      a1: { accuracy: 0.9, known: { copies: 0 }, owner: 'ada' },
      a2: { accuracy: 0.88, known: { copies: 0 }, owner: 'bob' },
      b1: { accuracy: 0.8, owner: 'bob' },
    };
    expect(chosen({ size: 2 }, { models })).toEqual(['a1', 'b1']);
    expect(chosen({ size: 3 }, { models, incumbents: ['a1', 'a2'] })).toEqual(['a1', 'b1']);
    // a better copy replaces the other one, by more than the margin
    expect(chosen({ size: 2, margin: 1 }, { models, incumbents: ['a2', 'b1'] })).toEqual(['a1', 'b1']);
    expect(chosen({ size: 2, margin: 3 }, { models, incumbents: ['a2', 'b1'] })).toEqual(['a2', 'b1']);
    expect(chosen({ size: 3, perOwner: 1 }, { models, incumbents: ['a2'] })).toEqual(['a1', 'b1']);
    expect(diversePool(board({ size: 3 }, models), new Map()).map(({ model }) => model.id)).toEqual(['a1', 'b1']);
  });

  it('records on which revision, rank, values and rule it chose', () => {
    const [first] = chooseLoop(
      board({ size: 2, minimum: { accuracy: 'baseline' }, maximum: { memory: 3.5 } }),
      new Set(),
    );
    expect(first!.evidence).toEqual({
      revision: 7,
      rank: 1,
      dynascore: 90,
      values: { accuracy: 0.9, throughput: 100, memory: 3 },
      rule: 'the best 2 by Dynascore with accuracy above the baseline, memory at most 3.5 GiB',
    });
  });

  describe('that should be diverse', () => {
    const diverse = { models: ['best', 'fair'], wrong: 3, examples: 200 };
    const policy = { size: 2, strategy: 'diverse', margin: 15 } as const;
    const content = { ...boardContent(NAMED, { loop: policy, weights: { accuracy: 1 } }), diverse };

    it('is the set whose errors differ most, with how many all get wrong', () => {
      const loop = chooseLoop(published(content), new Set(['good']));

      expect(loop.map(({ model }) => model.id)).toEqual(['best', 'fair']);
      expect(loop[0]!.evidence).toMatchObject({
        rule: 'the 2 whose errors differ most, among those within 15 points of the best by Dynascore',
        together: { wrong: 3, examples: 200 },
      });
    });

    it('is chosen among those within the margin, or as many of the best as it takes', () => {
      const pool = (margin: number) =>
        diversePool(
          published({ ...content, loop: { ...content.loop, margin } }),
          new Map([['good', 'Its owner withdrew it.']]),
        ).map(({ model }) => model.id);
      expect(pool(15)).toEqual(['best', 'fair']);
      expect(pool(40)).toEqual(['best', 'fair', 'poor']);
      expect(pool(0)).toEqual(['best', 'fair']);
    });

    it('has the next best for a model that has left since', () => {
      const loop = chooseLoop(published(content), new Set(), new Map([['fair', 'Its owner withdrew it.']]));

      expect(loop.map(({ model }) => model.id)).toEqual(['best', 'good']);
      expect(loop[0]!.evidence.together).toBeUndefined();
    });
  });
});
