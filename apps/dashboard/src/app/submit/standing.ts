import type { Leaderboard, LeaderboardRow } from '@assay/api-client/angular';

/** The position of a model on a board: ranked; incomplete, with reasons; or not yet listed. */
export type Standing =
  | { readonly kind: 'ranked'; readonly row: LeaderboardRow }
  | { readonly kind: 'incomplete'; readonly reasons: readonly string[] }
  | { readonly kind: 'unknown' };

export function standingOn(board: Leaderboard, model: string): Standing {
  const row = board.rows.find((each) => each.model.id === model);
  if (row) return { kind: 'ranked', row };
  const incomplete = board.incomplete.find((each) => each.model.id === model);
  // a pending model may still be ranked
  if (!incomplete || incomplete.pending) return { kind: 'unknown' };
  return { kind: 'incomplete', reasons: incomplete.missing.map(({ dataset, why }) => `${dataset}: ${why}`) };
}
