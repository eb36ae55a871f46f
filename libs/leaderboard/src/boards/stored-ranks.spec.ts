import { rankFamily } from '@assay/scoring/ranks';
import { expect, it } from '@jest/globals';
import { familyOf, storedRanks } from './stored-ranks.js';

it.each([0, 1, 2, 3, 9, 40])('returns the family of %i places that was stored', (count) => {
  const scores = Array.from({ length: count }, (_, place) => 90 - place);
  const resamples = scores.map((score, place) =>
    Float64Array.from({ length: 50 }, (_, draw) => score + Math.sin(draw * (place + 1)) * 2),
  );
  const family = rankFamily({ scores, resamples });

  const read = familyOf(JSON.parse(JSON.stringify(storedRanks(family))) as ReturnType<typeof storedRanks>);

  expect(read.ranks).toEqual(family.ranks);
  const separated = (each: typeof family) =>
    scores.map((_, one) => scores.map((__, other) => each.isSeparated(one, other)));
  expect(separated(read)).toEqual(separated(family));
});
