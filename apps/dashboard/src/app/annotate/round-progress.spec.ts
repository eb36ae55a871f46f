import type { BadgeList, Round } from '@assay/api-client/angular';
import { describe, expect, it } from '@jest/globals';
import { nextBadges, progressOf } from './round-progress.js';

const round = (turn: object | null) => ({ turn, counts: { examples: 41, validated: 12 } }) as unknown as Round;

describe('how far a round is', () => {
  it.each([
    [
      { examples: 500, validated: 100 },
      { done: 41, of: 500 },
    ],
    [{ validated: 100 }, { done: 12, of: 100 }],
    [{ closesAt: '2099-01-01T00:00:00Z' }, null],
    [null, null],
  ])('is counted by what closes it: %j', (turn, progress) => expect(progressOf(round(turn))).toEqual(progress));
});

it('shows the next badge of each thing that writing counts for', () => {
  const badge = (code: string, counts: string, earnedAt: string | null) =>
    ({ code, counts, earnedAt }) as BadgeList['items'][number];
  const badges = [
    badge('first-fool', 'fooling', '2026-01-01'),
    badge('fooling-10', 'fooling', null),
    badge('fooling-50', 'fooling', null),
    badge('streak-3', 'days', null),
    badge('validator-10', 'validations', null),
  ];
  expect(nextBadges(badges).map(({ code }) => code)).toEqual(['fooling-10', 'streak-3']);
});
