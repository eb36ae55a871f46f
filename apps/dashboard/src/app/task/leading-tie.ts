import type { LeaderboardRow } from '@assay/api-client/angular';

type Tied = Pick<LeaderboardRow, 'tie' | 'rankLow' | 'rankHigh'>;

/**
 * Returns how many of the first rows are tied with the first one, including itself. 1 means no tie.
 */
export function leadingTie(rows: readonly Tied[]): number {
  const [head, ...others] = rows;
  if (!head?.tie) return Math.min(1, rows.length);
  // ties may follow one another: the next one begins where the rank intervals no longer overlap
  const end = others.findIndex(({ tie, rankLow }) => !tie || (rankLow ?? Infinity) > (head.rankHigh ?? -Infinity));
  return end < 0 ? rows.length : end + 1;
}
