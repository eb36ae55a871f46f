import { z } from 'zod';
import { LoopPreview, ModelReference } from '../boards/leaderboard.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';
import { TaskWarning } from '../tasks/task-warning.js';

const CHANGE_KINDS = [
  'dataset-added',
  'dataset-removed',
  'dataset-replaced',
  'performance',
  'metrics',
  'metric-version',
  'weights',
  'exchange',
  'exchangeRates',
  'referenceCosts',
  'baseline',
  'utilities',
  'aggregate',
  'limits',
  'slices',
  'cluster',
  'perturbations',
  'language',
  'normalise',
  'strictProbabilities',
] as const;

/** A difference between a benchmark version and its predecessor. */
export const BenchmarkChange = namedObject('BenchmarkChange', {
  kind: z.enum(CHANGE_KINDS).describe('what of it'),
  name: z.string().optional().describe('the dataset or metric; with metric-version also `intervals`'),
  before: z.unknown().optional().describe('version, or part of the definition'),
  after: z.unknown().optional().describe('the same now'),
  text: z.string().describe('a sentence'),
});
export type BenchmarkChange = z.infer<typeof BenchmarkChange>;

/** A reason for the difference of a model's score between two boards. */
const ScoreChange = namedObject('ScoreChange', {
  metric: z.string().optional().describe('the metric; absent for the weight of a dataset'),
  dataset: z.string().optional().describe('the dataset; absent for costs and exchange rates'),
  before: z.number().describe('the figure, weight or exchange rate on the earlier board'),
  after: z.number().describe('the same on the later board'),
  text: z.string().describe('a sentence with both values and the reason'),
});

const CountedDatasets = z
  .array(
    z.object({
      name: z.string().describe('of the dataset'),
      version: z.int().describe('number of its version'),
      ...PUBLISHED_DIGEST,
    }),
  )
  .describe('the data and rules that it is computed from');

export const BenchmarkVersionSummary = namedObject('BenchmarkVersionSummary', {
  number: z.int().describe('as in asOf=v3'),
  createdAt: z.iso.datetime().describe('when it was activated, or its task changed'),
  datasets: CountedDatasets,
  metricVersions: z
    .record(z.string(), z.int())
    .describe(
      'version of each definition: by metric, `intervals` for intervals, draws and slices, and `board` for the rules that rank',
    ),
  recency: z.number().describe('the discount γ of older rounds'),
  amrsKept: z.boolean().describe('its exchange rates are settled: they are fixed, or ten models were ranked'),
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
              changes: z
                .array(ScoreChange)
                .optional()
                .describe('with `models`: why the score differs from that of the point before'),
            }),
          )
          .describe('one for each version on which it is ranked by the weights of the task'),
      }),
    )
    .describe('by their newest rank'),
});
export type HistoryView = z.infer<typeof HistoryView>;

export const ActivateBenchmarkVersion = namedStrictObject('ActivateBenchmarkVersion', {
  datasets: z.array(z.string()).optional().describe('Names of proposed datasets; default: all'),
});
export type ActivateBenchmarkVersion = z.infer<typeof ActivateBenchmarkVersion>;

export const BenchmarkVersionView = namedObject('BenchmarkVersion', {
  number: z.int().describe('as in asOf=v3'),
  createdAt: z.iso.datetime().nullable().describe('null in a preview'),
  datasets: CountedDatasets,
  evaluations: z.int().describe('evaluations that this enqueues'),
  rescored: z.int().describe('evaluations that are scored from stored predictions: their inputs stayed, no model runs'),
  cannotRun: z
    .int()
    .describe('evaluations without a run: of models that cannot run, failed before, or fit no registered evaluator'),
  estimatedSeconds: z.number().nullable().describe('by the throughput measured so far; null where unknown'),
  warnings: z.array(TaskWarning).describe('what to change about the hidden data that it has'),
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
