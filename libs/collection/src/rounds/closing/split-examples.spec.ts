import { describe, expect, it } from '@jest/globals';
import { splitExamples } from './split-examples.js';

const SHARES = { train: 0.8, dev: 0.1, test: 0.1 };
const examples = (count: number, perContext: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `e${n}`, marks: [`context ${Math.floor(n / perContext)}`] }));

describe('the splits of a closed round', () => {
  it('have their shares, and the same again from the same seed', () => {
    const given = examples(1_000, 5);
    const splits = splitExamples(given, SHARES, 'round');
    const count = (split: string) => [...splits.values()].filter((each) => each === split).length;

    expect(['train', 'dev', 'test'].map(count)).toEqual([800, 100, 100]);
    expect([...splitExamples(given.toReversed(), SHARES, 'round')].sort()).toEqual([...splits].sort());
    expect([...splitExamples(given, SHARES, 'another')].sort()).not.toEqual([...splits].sort());
  });

  it('share no context, however examples hang together', () => {
    const chained = [
      { id: 'a', marks: ['one'] },
      { id: 'b', marks: ['one', 'two'] },
      { id: 'c', marks: ['two'] },
      { id: 'd', marks: ['example a'] },
      ...examples(40, 1),
    ];
    for (const seed of ['1', '2', '3', '4', '5']) {
      const splits = splitExamples(chained, { train: 0.4, dev: 0.3, test: 0.3 }, seed);
      expect(new Set(['a', 'b', 'c', 'd'].map((id) => splits.get(id))).size).toBe(1);
    }
  });

  it('give the only context to test, and nothing to a split without a share', () => {
    expect(new Set(splitExamples(examples(3, 5), SHARES, 's').values())).toEqual(new Set(['test']));
    const noTrain = splitExamples(examples(10, 1), { train: 0, dev: 0.5, test: 0.5 }, 's');
    expect(new Set(noTrain.values())).toEqual(new Set(['test', 'dev']));
    expect(splitExamples([], SHARES, 's').size).toBe(0);
  });
});
