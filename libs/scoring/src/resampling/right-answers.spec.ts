import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { discordantCounts, packRight } from './right-answers.js';

it('counts the examples on which two models differ', () => {
  const bit = fc.integer({ min: 0, max: 1 });
  fc.assert(
    fc.property(fc.array(fc.tuple(bit, bit), { maxLength: 100 }), (pairs) => {
      const [one, other] = [packRight(pairs.map(([a]) => a)), packRight(pairs.map(([, b]) => b))];
      expect(one).toHaveLength(Math.ceil(pairs.length / 16));
      expect(discordantCounts(one, other)).toEqual({
        one: pairs.filter(([a, b]) => a > b).length,
        other: pairs.filter(([a, b]) => b > a).length,
      });
    }),
  );
});
