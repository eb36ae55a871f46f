import { z } from 'zod';
import { DIRECTIONS, Estimate } from './metric.js';
import { ModelKind } from './model.js';

/** `name:weight,…`. Whether a weight can be one is the board's matter, which names the metric or dataset; NaN stands for what is no number. */
const namedWeights = (what: string) =>
  z
    .string()
    .transform((text, context) => {
      const weights = new Map<string, number>();
      for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
        const [name = '', value] = part.split(/:(?=[^:]*$)/).map((piece) => piece.trim());
        if (name === '' || value === undefined) {
          context.addIssue({ code: 'custom', message: `${what} "${part}" is no name:weight` });
          return z.NEVER;
        }
        weights.set(name, value === '' ? Number.NaN : Number(value));
      }
      return Object.fromEntries(weights);
    })
    .optional();

const names = z
  .string()
  .max(2000)
  .transform((text) => [
    ...new Set(
      text
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== ''),
    ),
  ])
  .optional();

/** `?flag`, `?flag=true`, `?flag=false`. */
const flag = z
  .enum(['', 'true', 'false'])
  .transform((text) => text !== 'false')
  .optional();

export const EXPOSURES = ['clean', 'exposed'] as const;

/** Weights and choices that a board is read by. */
const weighing = {
  weights: namedWeights('weight').meta({ description: 'metric:weight,… instead of the task’s for those named' }),
  datasets: namedWeights('dataset weight').meta({
    description: 'dataset:weight,… instead of the task’s for those named',
  }),
  asOf: z
    .string()
    .max(40)
    .optional()
    .meta({ description: 'v3: last revision of benchmark version 3; r17: revision 17; or a time' }),
  amrs: z.enum(['official', 'live']).default('official'),
  ownRounds: z.enum(['adjust', 'count']).optional().meta({
    description: 'figures on datasets that were collected against the model: fitted from its others, or counted',
  }),
};

export const LeaderboardQuery = z
  .strictObject({
    ...weighing,
    exposure: z.enum(['clean']).optional().meta({
      description: 'clean: only models that were submitted before any data of a weighed dataset was public',
    }),
    kind: ModelKind.optional().meta({ description: 'shows models of one kind; ranks stay those of the whole board' }),
    owner: z.string().max(64).optional().meta({ description: 'shows models of one owner; ranks stay' }),
    pareto: names.meta({ description: 'marks the models that no other beats in all of these metrics' }),
    intervals: flag.meta({
      description:
        'false: ranks without their intervals, ties and probabilities, for who asks often; default: with them',
    }),
    explain: flag.meta({ description: 'says how the exchange rates between metrics came about' }),
    limit: z.coerce.number().int().min(1).max(10_000).optional(),
    cursor: z.string().max(200).optional(),
  })
  .meta({ id: 'LeaderboardQuery' });
export type LeaderboardQuery = z.infer<typeof LeaderboardQuery>;

export const MatrixQuery = z.strictObject({ asOf: weighing.asOf }).meta({ id: 'MatrixQuery' });
export type MatrixQuery = z.infer<typeof MatrixQuery>;

/** Weights and choices that differ from the task's own, as they are kept under a name. */
export const SavedWeighing = z
  .strictObject({
    weights: z.record(z.string(), z.number().nonnegative()).default({}),
    datasets: z.record(z.string(), z.number().nonnegative()).default({}),
    amrs: z.enum(['official', 'live']).default('official'),
    ownRounds: z.enum(['adjust', 'count']).optional(),
  })
  .meta({ id: 'SavedWeighing' });
export type SavedWeighing = z.infer<typeof SavedWeighing>;

export const ModelReference = z
  .object({ id: z.string(), name: z.string(), owner: z.string() })
  .meta({ id: 'ModelReference' });
export type ModelReference = z.infer<typeof ModelReference>;

const MetricValues = z.record(z.string(), Estimate);

export const LeaderboardRow = z
  .object({
    rank: z.int(),
    rankLow: z
      .int()
      .nullable()
      .meta({ description: 'the best of the central 95% of its ranks; null with intervals=false' }),
    rankHigh: z.int().nullable(),
    tie: z.boolean().meta({ description: 'cannot be told apart from the row that heads its group' }),
    first: z.number().nullable().meta({
      description:
        'how probable it is that this model is the first, by resampling the examples; null below the first 200 rows',
    }),
    officialRank: z.int().nullable().meta({ description: "the rank with the task's own weights" }),
    model: ModelReference,
    kind: ModelKind,
    attempts: z
      .int()
      .optional()
      .meta({ description: 'accepted submissions of this owner to the task, published or not' }),
    size: z.int().optional().meta({ description: 'bytes of the artifact' }),
    acceptedAt: z.iso.datetime().optional(),
    dynascore: z.number(),
    aboveMajority: z.boolean().optional().meta({
      description: 'whether the interval of its performance lies above always giving the most frequent label',
    }),
    front: z.boolean().optional().meta({ description: 'no other model beats it in all metrics of `pareto`' }),
    own: z.array(z.string()).optional().meta({ description: 'datasets that were collected against this model' }),
    exposure: z.record(z.string(), z.enum(EXPOSURES)).optional().meta({
      description: 'by dataset: clean where the model was submitted before any of the data was public',
    }),
    metrics: MetricValues,
    datasets: z.record(z.string(), MetricValues),
  })
  .meta({ id: 'LeaderboardRow' });
export type LeaderboardRow = z.infer<typeof LeaderboardRow>;

/** How the exchange rate of a metric came about: what one point of performance costs of it. */
export const RateExplanation = z
  .object({
    metric: z.string(),
    amrs: z.number().nullable(),
    rule: z.enum(['performance', 'median', 'mean', 'kept']).meta({
      description:
        'performance: 1 by definition; median: over the pairs (official); mean: over the pairs (as published, amrs=live); ' +
        'kept: taken with an earlier revision of the benchmark version, whose models are no more to be had',
    }),
    revision: z.int().optional().meta({ description: 'the revision whose models it was taken from' }),
    pairCount: z.int(),
    pairs: z
      .array(
        z.object({
          lower: z.array(z.string()).meta({ description: 'ids; several where their performance is the same' }),
          upper: z.array(z.string()),
          performanceGap: z.number().meta({ description: 'in points of utility' }),
          gap: z.number().meta({ description: 'of the metric, in points of its utility' }),
          ratio: z.number(),
        }),
      )
      .meta({ description: 'of the median those in the middle, of the mean the largest; at most ten' }),
    sentence: z.string(),
  })
  .meta({ id: 'RateExplanation' });
export type RateExplanation = z.infer<typeof RateExplanation>;

export const WeightStability = z
  .object({
    first: z.string().nullable().meta({ description: 'id of the first model' }),
    stays: z.number().nullable().meta({ description: 'how often it stays first when the weights move, as a share' }),
    firsts: z.array(z.object({ id: z.string(), share: z.number() })),
    draws: z.int(),
  })
  .meta({ id: 'WeightStability' });

export const LeaderboardView = z
  .object({
    task: z.string(),
    benchmarkVersion: z.int(),
    revision: z.int(),
    publishedAt: z.iso.datetime(),
    official: z.boolean().meta({ description: "true where weights and choices are the task's own" }),
    weighing: z.string().optional().meta({ description: 'in words, what differs from the official board' }),
    provisional: z.boolean().meta({ description: 'AMRS still moves: fewer than 10 models are ranked' }),
    degenerate: z.string().optional().meta({ description: 'why the Dynascore is the performance alone' }),
    metrics: z.array(
      z.object({
        name: z.string(),
        direction: z.enum(DIRECTIONS),
        unit: z.string(),
        weight: z.number(),
        amrs: z.number().nullable(),
      }),
    ),
    datasets: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        role: z.enum(['round', 'static']),
        round: z.int().optional(),
        examples: z.int(),
        weight: z.number(),
      }),
    ),
    hardware: z.string().nullable().optional().meta({ description: 'the hardware class whose costs are compared' }),
    stability: WeightStability.optional().meta({
      description: 'how far the first place depends on the weights; with the official board, or with explain',
    }),
    pareto: z.array(z.string()).optional(),
    explanation: z.array(RateExplanation).optional(),
    rows: z.array(LeaderboardRow),
    references: z.array(
      z.object({
        name: z.enum(['majority', 'random', 'human']),
        metrics: MetricValues,
        datasets: z.record(z.string(), MetricValues),
      }),
    ),
    incomplete: z.array(
      z.object({
        model: ModelReference,
        pending: z.boolean().meta({ description: 'what is missing is still to come' }),
        missing: z.array(z.object({ dataset: z.string(), why: z.string() })),
      }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'Leaderboard' });
export type LeaderboardView = z.infer<typeof LeaderboardView>;

export const LoopView = z
  .object({
    models: z.array(
      z.object({
        model: z.object({ id: z.string(), name: z.string() }),
        since: z.iso.datetime(),
        evidence: z.object({
          revision: z.int(),
          rank: z.int(),
          dynascore: z.number(),
          values: z.record(z.string(), z.number()),
          rule: z.string(),
        }),
      }),
    ),
    next: z.array(z.object({ model: z.object({ id: z.string(), name: z.string() }), why: z.string() })).optional(),
  })
  .meta({ id: 'Loop' });
export type LoopView = z.infer<typeof LoopView>;
