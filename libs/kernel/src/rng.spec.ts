import { describe, expect, it } from '@jest/globals';
import { seededRng } from './rng.js';

describe('seededRng', () => {
  it('gives the same stream for the same seed and another for another', () => {
    const draw = (seed: string) =>
      Array.from(
        { length: 5 },
        (
          (rng) => () =>
            rng.next()
        )(seededRng(seed)),
      );

    expect(draw('a')).toEqual(draw('a'));
    expect(draw('a')).not.toEqual(draw('b'));
  });

  it('is uniform over a bound', () => {
    const rng = seededRng('uniform');
    const counts = new Array<number>(10).fill(0);
    for (let draw = 0; draw < 100_000; draw++) counts[rng.below(10)]!++;

    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(500);
  });
});
