import { z } from 'zod';
import { BenchmarkChange } from './history.js';
import { LoopPreview } from '../boards/leaderboard.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';

export const ActivateBenchmarkVersion = namedStrictObject('ActivateBenchmarkVersion', {
  datasets: z.array(z.string()).optional().describe('Names of proposed datasets; default: all'),
});
export type ActivateBenchmarkVersion = z.infer<typeof ActivateBenchmarkVersion>;

export const BenchmarkVersionView = namedObject('BenchmarkVersion', {
  number: z.int().describe('as in asOf=v3'),
  createdAt: z.iso.datetime().nullable().describe('null in a preview'),
  datasets: z
    .array(
      z.object({
        name: z.string().describe('of the dataset'),
        version: z.int().describe('number of its version'),
        ...PUBLISHED_DIGEST,
      }),
    )
    .describe('the data and rules that it is computed from'),
  evaluations: z.int().describe('evaluations that this enqueues'),
  rescored: z.int().describe('evaluations that are scored from stored predictions: their inputs stayed, no model runs'),
  estimatedSeconds: z.number().nullable().describe('by the throughput measured so far; null where unknown'),
});
export type BenchmarkVersionView = z.infer<typeof BenchmarkVersionView>;

/** The effects that a change of a task would have if it were made now. */
export const TaskChangePreview = namedObject('TaskChangePreview', {
  benchmarkVersion: z
    .int()
    .nullable()
    .describe('number of the benchmark version that it would make; null: the board stays as it is'),
  changes: z.array(BenchmarkChange).describe('in what that version would differ, in words'),
  rescored: z.int().describe('evaluations that would be scored again from stored predictions'),
  evaluations: z
    .int()
    .nullable()
    .describe(
      'evaluations that models would have to run for; null: known when the perturbed versions have been made again',
    ),
  board: z
    .array(
      z.object({
        id: z.string().describe('of the model'),
        name: z.string().describe('of the model'),
        rank: z.int().nullable().describe('now; null: it has none'),
        newRank: z.int().describe('after the change'),
        dynascore: z.number().describe('after the change'),
      }),
    )
    .nullable()
    .describe('the first 20 after the change; null: known when the models have been scored again, or no board yet'),
  loop: LoopPreview.nullable().describe('the target models after the change; null as with board'),
});
export type TaskChangePreview = z.infer<typeof TaskChangePreview>;
