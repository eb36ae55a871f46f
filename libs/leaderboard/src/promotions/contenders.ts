import { leaderboardView, type PublishedBoard } from '../boards/leaderboard-view.js';
import { CERTAIN_PLACES } from '../boards/rank-certainty.js';
import type { ResamplesLookup } from '../boards/score-draws.js';

const LAST_PLACE = 50;
const LAST_RANK = 10;

/**
 * Returns the IDs of the models that must be scored on a new benchmark version before it is
 * released: the first 50 of the board, further models whose rank interval reaches the first 10, and
 * the models in the loop.
 */
export function contenders(
  revision: PublishedBoard,
  inLoop: ReadonlySet<string>,
  resamples?: ResamplesLookup,
): ReadonlySet<string> {
  const { rows } = leaderboardView(revision, { amrs: 'official', limit: CERTAIN_PLACES }, { resamples });
  const ahead = rows.filter((row, place) => place < LAST_PLACE || (row.rankLow ?? row.rank ?? Infinity) <= LAST_RANK);
  return new Set([...ahead.map((row) => row.model.id), ...inLoop]);
}
