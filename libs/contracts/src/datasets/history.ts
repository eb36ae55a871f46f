import { z } from 'zod';
import { ModelReference } from '../boards/leaderboard.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';

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

/** A difference between a benchmark version and its predecessor. */
export const BenchmarkChange = z
  .object({
    kind: z.enum(CHANGE_KINDS).meta({ description: 'what of it' }),
    name: z.string().optional().meta({ description: 'the dataset or metric' }),
    before: z.unknown().optional().meta({ description: 'version, or part of the definition' }),
    after: z.unknown().optional().meta({ description: 'the same now' }),
    text: z.string().meta({ description: 'a sentence' }),
  })
  .meta({ id: 'BenchmarkChange' });
export type BenchmarkChange = z.infer<typeof BenchmarkChange>;

export const BenchmarkVersionSummary = z
  .object({
    number: z.int().meta({ description: 'as in asOf=v3' }),
    createdAt: z.iso.datetime().meta({ description: 'when it was activated, or its task changed' }),
    datasets: z
      .array(
        z.object({
          name: z.string().meta({ description: 'of the dataset' }),
          version: z.int().meta({ description: 'number of its version' }),
          ...PUBLISHED_DIGEST,
        }),
      )
      .meta({ description: 'the data and rules that it is computed from' }),
    metricVersions: z.record(z.string(), z.int()).meta({ description: 'by metric, the version of its definition' }),
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
    task: z.string().meta({ description: 'its slug' }),
    performance: z.string().meta({ description: "the task's performance metric" }),
    versions: z
      .array(
        z.object({
          benchmarkVersion: z.int().meta({ description: 'its number' }),
          revision: z.int().meta({ description: 'the last board revision of it' }),
          publishedAt: z.iso.datetime().meta({ description: 'when that revision came out' }),
          ranked: z.int().meta({ description: 'how many models have a rank on it' }),
          changes: z.array(BenchmarkChange).meta({ description: 'against the version before' }),
        }),
      )
      .meta({ description: 'benchmark versions that have a board, the oldest first' }),
    models: z
      .array(
        z.object({
          model: ModelReference.meta({ description: 'which one' }),
          points: z
            .array(
              z.object({
                benchmarkVersion: z.int().meta({ description: 'its number' }),
                rank: z.int().meta({ description: 'on its last board' }),
                dynascore: z.number().meta({ description: 'by the weights that the task had then' }),
                performance: z.number().meta({ description: "aggregate of the task's performance metric" }),
              }),
            )
            .meta({ description: 'one for each version on which it is ranked by the weights of the task' }),
        }),
      )
      .meta({ description: 'by their newest rank' }),
  })
  .meta({ id: 'History' });
export type HistoryView = z.infer<typeof HistoryView>;
