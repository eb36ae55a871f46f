import type { BadgeList } from '@assay/api-client/angular';
import { expect, it } from '@jest/globals';
import { nextBadges } from './round-progress.js';

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
