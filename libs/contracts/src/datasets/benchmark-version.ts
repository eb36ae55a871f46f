import { z } from 'zod';
import { BenchmarkChange } from './history.js';
import { LoopPreview } from '../boards/leaderboard.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';

export const ActivateBenchmarkVersion = z
  .strictObject({
    datasets: z.array(z.string()).optional().meta({ description: 'Names of proposed datasets; default: all' }),
  })
  .meta({ id: 'ActivateBenchmarkVersion' });
export type ActivateBenchmarkVersion = z.infer<typeof ActivateBenchmarkVersion>;

export const BenchmarkVersionView = z
  .object({
    number: z.int().meta({ description: 'as in asOf=v3' }),
    createdAt: z.iso.datetime().nullable().meta({ description: 'null in a preview' }),
    datasets: z
      .array(
        z.object({
          name: z.string().meta({ description: 'of the dataset' }),
          version: z.int().meta({ description: 'number of its version' }),
          ...PUBLISHED_DIGEST,
        }),
      )
      .meta({ description: 'the data and rules that it is computed from' }),
    evaluations: z.int().meta({ description: 'evaluations that this enqueues' }),
    rescored: z
      .int()
      .meta({ description: 'evaluations that are scored from stored predictions: their inputs stayed, no model runs' }),
    estimatedSeconds: z
      .number()
      .nullable()
      .meta({ description: 'by the throughput measured so far; null where unknown' }),
  })
  .meta({ id: 'BenchmarkVersion' });
export type BenchmarkVersionView = z.infer<typeof BenchmarkVersionView>;

/** The effects that a change of a task would have if it were made now. */
export const TaskChangePreview = z
  .object({
    benchmarkVersion: z
      .int()
      .nullable()
      .meta({ description: 'number of the benchmark version that it would make; null: the board stays as it is' }),
    changes: z.array(BenchmarkChange).meta({ description: 'in what that version would differ, in words' }),
    rescored: z.int().meta({ description: 'evaluations that would be scored again from stored predictions' }),
    evaluations: z.int().nullable().meta({
      description:
        'evaluations that models would have to run for; null: known when the perturbed versions have been made again',
    }),
    board: z
      .array(
        z.object({
          id: z.string().meta({ description: 'of the model' }),
          name: z.string().meta({ description: 'of the model' }),
          rank: z.int().nullable().meta({ description: 'now; null: it has none' }),
          newRank: z.int().meta({ description: 'after the change' }),
          dynascore: z.number().meta({ description: 'after the change' }),
        }),
      )
      .nullable()
      .meta({
        description:
          'the first 20 after the change; null: known when the models have been scored again, or no board yet',
      }),
    loop: LoopPreview.nullable().meta({ description: 'the target models after the change; null as with board' }),
  })
  .meta({ id: 'TaskChangePreview' });
export type TaskChangePreview = z.infer<typeof TaskChangePreview>;
