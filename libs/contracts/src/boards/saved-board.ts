import { z } from 'zod';
import { LeaderboardView, SavedWeighing } from './leaderboard.js';
import { namedObject } from '../named-object.js';
import { Slug } from '../text/quantity.js';

/**
 * Weights by name. The board rejects invalid weights, because it can name the metric or dataset.
 * NaN represents a weight that is not a number.
 */
const givenWeights = z
  .record(
    z.string(),
    z
      .unknown()
      .transform((weight) => (typeof weight === 'number' ? weight : Number.NaN))
      .meta({ type: 'number', minimum: 0 }),
  )
  .default({});

/**
 * A user's own weights under a name. Metrics and datasets that are not named keep the task's
 * weights.
 */
export const SaveFork = SavedWeighing.extend({
  name: Slug,
  description: z.string().max(2_000).default(''),
  weights: givenWeights,
  datasets: givenWeights,
}).meta({ id: 'SaveFork' });
export type SaveFork = z.infer<typeof SaveFork>;

export const SaveSnapshot = SaveFork.extend({
  fork: Slug.exactOptional().describe('takes the weights of this fork'),
  asOf: z.string().max(40).exactOptional().describe('v3, r17 or a time; default: now'),
}).meta({ id: 'SaveSnapshot' });
export type SaveSnapshot = z.infer<typeof SaveSnapshot>;

const saved = {
  name: z.string().describe('in addresses'),
  owner: z.string().describe('name of the user who made it'),
  description: z.string().describe('what it is for'),
  createdAt: z.iso.datetime().describe('when it was made'),
  weighing: SavedWeighing.describe("what differs from the task's own weighing"),
};

export const ForkSummary = namedObject('ForkSummary', saved);
export type ForkSummary = z.infer<typeof ForkSummary>;

export const ForkView = z
  .object({ ...saved, board: LeaderboardView })
  .meta({ id: 'Fork', description: 'the board of now, by the weights of the fork' });
export type ForkView = z.infer<typeof ForkView>;

export const SnapshotSummary = namedObject('SnapshotSummary', {
  ...saved,
  revision: z.int().describe('the board revision that was frozen'),
  address: z.url().describe('permanent, and public'),
});
export type SnapshotSummary = z.infer<typeof SnapshotSummary>;

export const SnapshotView = SnapshotSummary.extend({ board: LeaderboardView }).meta({
  id: 'Snapshot',
  description: 'the board as it stood; these bytes never change',
});
export type SnapshotView = z.infer<typeof SnapshotView>;
