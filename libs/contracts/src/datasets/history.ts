import { z } from 'zod';
import { ModelReference } from '../boards/leaderboard.js';
import { namedObject, namedStrictObject } from '../named-object.js';
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
export const BenchmarkChange = namedObject('BenchmarkChange', {
  kind: z.enum(CHANGE_KINDS).describe('what of it'),
  name: z.string().optional().describe('the dataset or metric'),
  before: z.unknown().optional().describe('version, or part of the definition'),
  after: z.unknown().optional().describe('the same now'),
  text: z.string().describe('a sentence'),
});
export type BenchmarkChange = z.infer<typeof BenchmarkChange>;

export const BenchmarkVersionSummary = namedObject('BenchmarkVersionSummary', {
  number: z.int().describe('as in asOf=v3'),
  createdAt: z.iso.datetime().describe('when it was activated, or its task changed'),
  datasets: z
    .array(
      z.object({
        name: z.string().describe('of the dataset'),
        version: z.int().describe('number of its version'),
        ...PUBLISHED_DIGEST,
      }),
    )
    .describe('the data and rules that it is computed from'),
  metricVersions: z.record(z.string(), z.int()).describe('by metric, the version of its definition'),
  recency: z.number().describe('the discount γ of older rounds'),
  amrsKept: z.boolean().describe('its exchange rates are settled: ten models were ranked'),
  changes: z.array(BenchmarkChange).describe('against the version before; none of the first'),
});
export type BenchmarkVersionSummary = z.infer<typeof BenchmarkVersionSummary>;

export const BenchmarkVersionList = namedObject('BenchmarkVersionList', {
  items: z.array(BenchmarkVersionSummary).describe('the newest first'),
});
export type BenchmarkVersionList = z.infer<typeof BenchmarkVersionList>;

export const HistoryQuery = namedStrictObject('HistoryQuery', {
  models: z
    .string()
    .max(4000)
    .transform((text) => text.split(',').filter((id) => id !== ''))
    .optional()
    .describe('ids with commas between them; default: all models'),
});
export type HistoryQuery = z.infer<typeof HistoryQuery>;

export const HistoryView = namedObject('History', {
  task: z.string().describe('its slug'),
  performance: z.string().describe("the task's performance metric"),
  versions: z
    .array(
      z.object({
        benchmarkVersion: z.int().describe('its number'),
        revision: z.int().describe('the last board revision of it'),
        publishedAt: z.iso.datetime().describe('when that revision came out'),
        ranked: z.int().describe('how many models have a rank on it'),
        changes: z.array(BenchmarkChange).describe('against the version before'),
      }),
    )
    .describe('benchmark versions that have a board, the oldest first'),
  models: z
    .array(
      z.object({
        model: ModelReference.describe('which one'),
        points: z
          .array(
            z.object({
              benchmarkVersion: z.int().describe('its number'),
              rank: z.int().describe('on its last board'),
              dynascore: z.number().describe('by the weights that the task had then'),
              performance: z.number().describe("aggregate of the task's performance metric"),
            }),
          )
          .describe('one for each version on which it is ranked by the weights of the task'),
      }),
    )
    .describe('by their newest rank'),
});
export type HistoryView = z.infer<typeof HistoryView>;
