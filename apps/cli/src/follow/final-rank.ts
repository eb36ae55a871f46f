import type { Leaderboard, LeaderboardRow, Model } from '@assay/api-client/fetch';
import { CommandFailure } from '../command-failure.js';
import type { Api } from '../connection/api.js';
import { wholeBoard } from '../connection/whole-board.js';

export type Rank = Pick<LeaderboardRow, 'rank' | 'rankLow' | 'rankHigh' | 'dynascore'> & {
  /** The number of ranked models. */
  readonly of: number;
};

/**
 * The board is published shortly after the last score. Polls `ATTEMPTS` times with pauses of
 * `PAUSE` milliseconds; after `SETTLED` attempts an incomplete model counts as final.
 */
const ATTEMPTS = 20;
const PAUSE = 500;
const SETTLED = 6;

/**
 * Returns the rank of the model once the board shows it, or null if it is not ranked. Waits up to
 * 10 s.
 */
export async function rankOf(api: Api, slug: string, id: string): Promise<Rank | null> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const board = await boardOf(api, slug);
    const row = board?.rows.find(({ model }) => model.id === id);
    if (row) {
      const { rank, rankLow, rankHigh, dynascore } = row;
      return {
        rank,
        rankLow,
        rankHigh,
        dynascore,
        of: board?.rows.filter((each) => each.rank !== null).length ?? 0,
      };
    }
    // by now the board includes the last score, so the model will stay incomplete
    if (attempt >= SETTLED && board?.incomplete.some(({ model }) => model.id === id)) return null;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  return null;
}

/** Returns the board, or null before its first revision. */
async function boardOf(api: Api, slug: string): Promise<Leaderboard | null> {
  try {
    return await wholeBoard(api, slug);
  } catch (error) {
    if (error instanceof CommandFailure && error.details['status'] === 404) return null;
    throw error;
  }
}

export function rankText(task: string, model: Model, rank: Rank | null): string {
  if (!model.published) return `The model is not on the board. Publish it: assay model publish ${model.id}`;
  if (!rank) return `The model is not ranked. See why: assay leaderboard ${task}`;
  if (rank.rank === null) {
    return `Not ranked: not better than the baseline. Score ${rank.dynascore.toFixed(1)}. See why: assay leaderboard ${task}`;
  }
  const among = rank.rankLow === rank.rankHigh ? '' : `, could be ${rank.rankLow} to ${rank.rankHigh}`;
  return `Rank ${rank.rank} of ${rank.of}${among}, score ${rank.dynascore.toFixed(1)}`;
}
