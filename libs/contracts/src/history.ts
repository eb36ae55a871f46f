import { z } from 'zod';
import { ModelReference } from './leaderboard.js';

const CHANGE_KINDS = [
  'dataset-added',
  'dataset-removed',
  'dataset-replaced',
  'performance',
  'metrics',
  'metric-version',
  'weights',
  'utilities',
  'aggregate',
  'limits',
  'slices',
  'cluster',
  'perturbations',
] as const;

/** One thing in which a benchmark version differs from the one before. */
export const BenchmarkChange = z
  .object({
    kind: z.enum(CHANGE_KINDS),
    name: z.string().optional().meta({ description: 'the dataset or metric' }),
    before: z.unknown().optional(),
    after: z.unknown().optional(),
    text: z.string().meta({ description: 'a sentence' }),
  })
  .meta({ id: 'BenchmarkChange' });
export type BenchmarkChange = z.infer<typeof BenchmarkChange>;

export const BenchmarkVersionSummary = z
  .object({
    number: z.int(),
    createdAt: z.iso.datetime(),
    datasets: z.array(z.object({ name: z.string(), version: z.int(), digest: z.string() })),
    metricVersions: z.record(z.string(), z.int()),
    recency: z.number().meta({ description: 'the discount γ of older rounds' }),
    amrsKept: z.boolean().meta({ description: 'its exchange rates are settled: ten models were ranked' }),
    changes: z.array(BenchmarkChange).meta({ description: 'against the version before; none of the first' }),
  })
  .meta({ id: 'BenchmarkVersionSummary' });
export type BenchmarkVersionSummary = z.infer<typeof BenchmarkVersionSummary>;

export const BenchmarkVersionList = z
  .object({ items: z.array(BenchmarkVersionSummary).meta({ description: 'the newest first' }) })
  .meta({ id: 'BenchmarkVersionList' });
export type BenchmarkVersionList = z.infer<typeof BenchmarkVersionList>;

export const HistoryQuery = z
  .strictObject({
    models: z
      .string()
      .max(4000)
      .transform((text) => text.split(',').filter((id) => id !== ''))
      .optional()
      .meta({ description: 'ids with commas between them; default: all models' }),
  })
  .meta({ id: 'HistoryQuery' });
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const HistoryView = z
  .object({
    task: z.string(),
    performance: z.string(),
    versions: z
      .array(
        z.object({
          benchmarkVersion: z.int(),
          revision: z.int().meta({ description: 'the last one of it' }),
          publishedAt: z.iso.datetime(),
          ranked: z.int().meta({ description: 'models' }),
          changes: z.array(BenchmarkChange).meta({ description: 'against the version before' }),
        }),
      )
      .meta({ description: 'benchmark versions that have a board, the oldest first' }),
    models: z.array(
      z.object({
        model: ModelReference,
        points: z
          .array(
            z.object({
              benchmarkVersion: z.int(),
              rank: z.int(),
              dynascore: z.number(),
              performance: z.number().meta({ description: "aggregate of the task's performance metric" }),
            }),
          )
          .meta({ description: 'one for each version on which it is ranked by the weights of the task' }),
      }),
    ),
  })
  .meta({ id: 'History' });
export type HistoryView = z.infer<typeof HistoryView>;
