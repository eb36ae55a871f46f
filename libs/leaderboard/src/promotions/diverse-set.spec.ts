import { describe, expect, it } from '@jest/globals';
import { mostDiverse, type DiverseCandidate } from './diverse-set.js';

/** A model by the examples that it gets wrong. */
const model = (id: string, wrong: readonly number[], owner = id): DiverseCandidate => {
  const words = new Uint32Array(4);
  for (const example of wrong) words[example >> 5]! |= 1 << (example & 31);
  return { id, owner, wrong: words };
};
const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('the most diverse set', () => {
  it('has the fewest examples that all of it gets wrong', () => {
    const candidates = [
      model('a', [0, 1, 2, 3]),
      model('b', [0, 1, 2, 40]),
      model('c', [3, 50, 51, 52, 53]),
      model('d', [0, 50, 60, 99]),
    ];
    // a and c share 3, b and c nothing
    expect(mostDiverse(candidates, { size: 2 })).toEqual({ models: ['b', 'c'], wrong: 0 });
    expect(mostDiverse(candidates.slice(0, 2), { size: 2 })).toEqual({ models: ['a', 'b'], wrong: 3 });
    expect(mostDiverse(candidates, { size: 1 })).toEqual({ models: ['a'], wrong: 4 });
  });

  it('takes of equal sets the one whose models come first', () => {
    const candidates = [model('a', [1]), model('b', [2]), model('c', [3])];
    expect(mostDiverse(candidates, { size: 2 })).toEqual({ models: ['a', 'b'], wrong: 0 });
  });

  it('takes no more of one owner than is allowed, and no more than there are', () => {
    const candidates = [model('a', [1, 2], 'ada'), model('b', [3, 4], 'ada'), model('c', [1, 2], 'bob')];
    expect(mostDiverse(candidates, { size: 2, perOwner: 1 })).toEqual({ models: ['b', 'c'], wrong: 0 });
    expect(mostDiverse(candidates, { size: 3, perOwner: 1 }).models).toHaveLength(2);
    expect(mostDiverse(candidates, { size: 9 })).toEqual({ models: ['a', 'b', 'c'], wrong: 0 });
    expect(mostDiverse([], { size: 2 })).toEqual({ models: [], wrong: 0 });
    expect(mostDiverse(candidates, { size: 0 })).toEqual({ models: [], wrong: 0 });
  });

  it('counts every bit of a word', () => {
    expect(mostDiverse([model('a', upTo(128)), model('b', upTo(100))], { size: 2 }).wrong).toBe(100);
  });

  it('is built model by model where there are too many sets', () => {
    // 40 choose 6 is 3.8 million; the first is wrong on all, and each other one is right on a range of its own
    const candidates = [
      model('first', upTo(120)),
      ...Array.from({ length: 39 }, (_, index) =>
        model(
          `m${index}`,
          upTo(120).filter((example) => example % 5 !== index % 5),
        ),
      ),
    ];
    const { models, wrong } = mostDiverse(candidates, { size: 6 });

    expect(models).toEqual(['first', 'm0', 'm1', 'm2', 'm3', 'm4']);
    expect(wrong).toBe(0);
  });
});
