import type { LeaderboardRow } from '../../client/types.gen.js';

type Tied = Pick<LeaderboardRow, 'tie' | 'rankLow' | 'rankHigh'>;

/** How many of the first rows can't be told apart from the first one, itself among them; 1: it stands alone. */
export function leadingTie(rows: readonly Tied[]): number {
  const [head, ...others] = rows;
  if (!head?.tie) return Math.min(1, rows.length);
  // groups may follow one another: the next begins where the intervals of the ranks no longer meet
  const end = others.findIndex(({ tie, rankLow }) => !tie || (rankLow ?? Infinity) > (head.rankHigh ?? -Infinity));
  return end < 0 ? rows.length : end + 1;
}
