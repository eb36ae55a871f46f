import type { Leaderboard, LeaderboardRow } from '../../client/types.gen.js';

/** Where a model stands on a board: with a rank; without one, for reasons; or the board does not know it yet. */
export type Standing =
  | { readonly kind: 'ranked'; readonly row: LeaderboardRow }
  | { readonly kind: 'incomplete'; readonly reasons: readonly string[] }
  | { readonly kind: 'unknown' };

export function standingOn(board: Leaderboard, model: string): Standing {
  const row = board.rows.find((each) => each.model.id === model);
  if (row) return { kind: 'ranked', row };
  const incomplete = board.incomplete.find((each) => each.model.id === model);
  // what is pending is not its last word
  if (!incomplete || incomplete.pending) return { kind: 'unknown' };
  return { kind: 'incomplete', reasons: incomplete.missing.map(({ dataset, why }) => `${dataset}: ${why}`) };
}
