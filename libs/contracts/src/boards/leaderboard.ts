import { z } from 'zod';
import { OwnEvaluators } from '../evaluators/evaluator.js';
import { DIRECTIONS, Estimate, ShownDisclosure } from '../metrics/metric.js';
import { ModelKind } from '../models/model.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { Serving } from '../serving/deployment.js';
import { LARGEST_WEIGHT, QueryFlag } from '../text/quantity.js';

/**
 * Parses `name:weight,…`. The board rejects invalid weights, because it can name the metric or
 * dataset. NaN represents a weight that is not a number.
 */
const namedWeights = (what: string) =>
  z
    .string()
    .transform((text, context) => {
      const weights = new Map<string, number>();
      for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
        const [name = '', value] = part.split(/:(?=[^:]*$)/).map((piece) => piece.trim());
        if (name === '' || value === undefined) {
          context.addIssue({ code: 'custom', message: `${what} "${part}" is not of the form name:weight` });
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

export const EXPOSURES = ['clean', 'exposed'] as const;

/** The query parameters for the weights and choices of a board. */
const weighing = {
  weights: namedWeights('weight').describe('metric:weight,… instead of the task’s for those named'),
  datasets: namedWeights('dataset weight').describe('dataset:weight,… instead of the task’s for those named'),
  asOf: z.string().max(40).optional().describe('v3: last revision of benchmark version 3; r17: revision 17; or a time'),
  amrs: z
    .enum(['official', 'live'])
    .default('official')
    .describe(
      'official: the score as the task defines it; live: the published Dynascore, with exchange rates from the models on the board',
    ),
  ownRounds: z
    .enum(['adjust', 'count'])
    .optional()
    .describe('figures on datasets that were collected against the model: fitted from its others, or counted'),
};

/** The largest number of rows that are compared with one model, or with the previous benchmark version. */
export const MOST_AGAINST = 200;

export const LeaderboardQuery = namedStrictObject('LeaderboardQuery', {
  ...weighing,
  exposure: z
    .enum(['clean'])
    .optional()
    .describe('clean: only models that were submitted before any data of a weighed dataset was public'),
  kind: ModelKind.optional().describe('shows models of one kind; ranks stay those of the whole board'),
  owner: z.string().max(64).optional().describe('shows models of one owner; ranks stay'),
  pareto: names.describe('marks the models that no other beats in all of these metrics'),
  intervals: QueryFlag.optional().describe(
    'false: ranks without intervals, ties and shares of resamples, which is faster; default: with them',
  ),
  explain: QueryFlag.optional().describe('explains the exchange rate of each metric in words'),
  against: z
    .string()
    .trim()
    .min(1)
    .max(200)
    .optional()
    .describe(
      `compares the performance of each row with that of a model (by its id or its name), or with its own on the previous benchmark version (previous); at most ${MOST_AGAINST} rows`,
    ),
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(10_000)
    .optional()
    .describe('maximum number of rows; default: 100, or 10,000 in CSV and LaTeX'),
  cursor: z.string().max(200).optional().describe('`nextCursor` of the page before'),
});
export type LeaderboardQuery = z.infer<typeof LeaderboardQuery>;

export const MatrixQuery = namedStrictObject('MatrixQuery', { asOf: weighing.asOf });
export type MatrixQuery = z.infer<typeof MatrixQuery>;

/** Weights and choices that differ from the task's own, as stored under a name. */
export const SavedWeighing = namedStrictObject('SavedWeighing', {
  weights: z
    .record(z.string(), z.number().nonnegative().max(LARGEST_WEIGHT))
    .default({})
    .describe('by metric, instead of the task’s for those named'),
  datasets: z
    .record(z.string(), z.number().nonnegative().max(LARGEST_WEIGHT))
    .default({})
    .describe('by dataset, instead of the task’s for those named'),
  amrs: z
    .enum(['official', 'live'])
    .default('official')
    .describe('official: the score as the task defines it; live: the published Dynascore'),
  ownRounds: z
    .enum(['adjust', 'count'])
    .optional()
    .describe('figures on datasets that were collected against the model: fitted from its others, or counted'),
});
export type SavedWeighing = z.infer<typeof SavedWeighing>;

export const ModelReference = namedObject('ModelReference', {
  id: z.string().describe('what addresses take'),
  name: z.string().describe('as its owner calls it'),
  owner: z.string().describe('name of the user who submitted it'),
});
export type ModelReference = z.infer<typeof ModelReference>;

const MetricValues = z.record(z.string(), Estimate);

export const RowDifference = namedObject('RowDifference', {
  difference: Estimate.describe('the performance of this row minus that of the other side'),
  p: z.number().nullable().describe('how often chance alone gives a difference at least as large; null: no test'),
  holm: z.number().nullable().describe("p corrected by Holm's procedure over the rows of the response"),
  verdict: z
    .enum(['better', 'worse', 'none'])
    .describe(
      'whether this row is significantly better or worse: `holm` is below 0.05 and the interval excludes 0; none: no significant difference',
    ),
  comparable: z.int().describe('k: datasets that the difference is made of'),
  of: z.int().describe('m: datasets that rank'),
});
export type RowDifference = z.infer<typeof RowDifference>;

export const LeaderboardRow = namedObject('LeaderboardRow', {
  rank: z.int().nullable().describe('place by score; equal scores share it; null for a model below the baseline'),
  rankLow: z
    .int()
    .nullable()
    .describe(
      'the best rank of its 95 percent rank interval; null below the first 200 rows, with intervals=false and where errors are unknown',
    ),
  rankHigh: z.int().nullable().describe('the worst rank of its rank interval'),
  couldBeFirst: z
    .boolean()
    .nullable()
    .optional()
    .describe('whether its rank interval contains rank 1; null without an interval; absent in schema 1'),
  tie: z
    .boolean()
    .describe(
      'deprecated, because being tied is not transitive: it is not separated from the row above; in schema 1: from the first row of its group',
    ),
  tied: z
    .array(z.tuple([z.int(), z.int()]))
    .optional()
    .describe(
      'the rows that it is tied with, whose comparison with it includes 0, as ranges of positions on the whole board, from 1; absent in schema 1 and without an interval',
    ),
  tieHead: z.string().optional().describe('schema 1, with tie: id of the model that heads the group'),
  first: z
    .number()
    .nullable()
    .optional()
    .describe('schema 1: the share of the resamples of the examples in which this model comes first'),
  copies: z
    .array(z.string())
    .optional()
    .describe(
      'ids of the other models with the same artifact, or with one that computes the same (graph and weights, or layers and configuration); they are compared as one. Absent if there are none',
    ),
  possibleCopyOf: z
    .array(z.string())
    .optional()
    .describe(
      'ids of models of other owners among the first 200 that share more wrong answers with it than models of different owners and like accuracy do. A hint, with no consequences. Absent if there are none',
    ),
  officialRank: z.int().nullable().describe("the rank with the task's own weights"),
  model: ModelReference.describe('which one'),
  kind: ModelKind.describe('container and onnx ran here; predictions were uploaded, and have no costs'),
  attempts: z
    .int()
    .optional()
    .describe(
      "submissions of this owner that count for the task's quota: published or not, with withdrawn ones and the model's failures",
    ),
  size: z.int().optional().describe('bytes of the artifact'),
  acceptedAt: z.iso.datetime().optional().describe('when its artifact came'),
  evaluators: OwnEvaluators.optional(),
  dynascore: z
    .number()
    .describe(
      'the score that ranks: the weighted mean of the percent metrics in points, plus points for each halving of a cost at a fixed rate; with `exchange: amrs`, `amrs=live` and in schema 1 the published Dynascore',
    ),
  points: z
    .record(z.string(), z.number())
    .optional()
    .describe(
      'by metric that counts, the points that it adds to the score; their sum is `dynascore`; absent in schema 1',
    ),
  aboveMajority: z
    .boolean()
    .optional()
    .describe('whether the interval of its performance lies above always giving the most frequent label'),
  belowBaseline: z
    .boolean()
    .optional()
    .describe(
      'whether the interval of its performance does not lie above the baseline, the better of the reference rows majority and random or the model that the owner named: such models follow all ranked rows, by score; absent on boards from before there was a baseline',
    ),
  front: z.boolean().optional().describe('no other model beats it in all metrics of `pareto`'),
  own: z
    .array(z.string())
    .optional()
    .describe('datasets that were collected against this model, or against a model that it descends from'),
  counted: z
    .record(z.string(), z.int())
    .optional()
    .describe(
      'by dataset that was collected against several models: the number of examples that count for this one, because they were written against others',
    ),
  exposure: z
    .record(z.string(), z.enum(EXPOSURES))
    .optional()
    .describe('by dataset: clean where the model was submitted before any of the data was public'),
  metrics: MetricValues.describe('by metric: the mean over the datasets, weighed as the board weighs them'),
  datasets: z
    .record(z.string(), MetricValues)
    .describe(
      'by dataset and metric: as it counts there; `estimated` figures are fitted, and `measured` is what they replace',
    ),
  against: RowDifference.nullable()
    .optional()
    .describe('with against: the difference; null for the model itself, and where nothing can be compared'),
});
export type LeaderboardRow = z.infer<typeof LeaderboardRow>;

/**
 * The origin of a metric's exchange rate: the amount of the metric that one point of performance is
 * worth.
 */
export const RateExplanation = namedObject('RateExplanation', {
  metric: z.string().describe('its name'),
  amrs: z
    .number()
    .nullable()
    .describe('units of it that one point of performance is worth; 0: no information; null: the rate is fixed'),
  rule: z
    .enum(['fixed', 'performance', 'median', 'mean', 'kept'])
    .describe(
      'fixed: by the definition of the task; performance: 1 by definition; median: over the pairs (official); mean: over the pairs (as published, amrs=live); ' +
        'kept: from an earlier revision of the benchmark version, whose models are no longer available',
    ),
  revision: z.int().optional().describe('the revision whose models it was taken from'),
  pairCount: z.int().describe('pairs of neighbours in performance that the rate was taken over'),
  pairs: z
    .array(
      z.object({
        lower: z.array(z.string()).describe('ids; several where their performance is the same'),
        upper: z.array(z.string()).describe('ids of the next better in performance'),
        performanceGap: z.number().describe('in points of utility'),
        gap: z.number().describe('of the metric, in points of its utility'),
        ratio: z.number().describe('gap ÷ performanceGap'),
      }),
    )
    .describe('of the median those in the middle, of the mean the largest; at most ten'),
  sentence: z.string().describe('the same in words'),
});
export type RateExplanation = z.infer<typeof RateExplanation>;

export const WeightStability = namedObject('WeightStability', {
  first: z.string().nullable().describe('id of the first model'),
  stays: z.number().nullable().describe('how often it stays first when the weights move, as a share'),
  firsts: z
    .array(
      z.object({
        id: z.string().describe('of a model'),
        share: z.number().describe('of the draws in which it is first'),
      }),
    )
    .describe('how often each model is first, the most frequent first'),
  draws: z.int().describe('how often the weights were moved'),
});

export const LeaderboardView = namedObject('Leaderboard', {
  schema: z
    .literal([1, 2])
    .describe('version of the rules that compute the board, and of its fields; a revision never changes its schema'),
  task: z.string().describe('its slug'),
  benchmarkVersion: z.int().describe('number of the benchmark version: which dataset versions count, and how'),
  revision: z.int().describe('number of the board revision, which never changes'),
  publishedAt: z.iso.datetime().describe('when that revision came out'),
  official: z.boolean().describe("true where weights and choices are the task's own"),
  weighing: z.string().optional().describe('in words, what differs from the official board'),
  disclosure: ShownDisclosure,
  provisional: z
    .boolean()
    .optional()
    .describe('schema 1 only: AMRS still moves, because fewer than 10 models are ranked'),
  degenerate: z.string().optional().describe('why the Dynascore is the performance alone'),
  metrics: z
    .array(
      z.object({
        name: z.string().describe('such as accuracy, worst:group or throughput'),
        direction: z.enum(DIRECTIONS).describe('which values are better'),
        unit: z.string().describe('ratio: shown in percent'),
        weight: z.number().describe('in the Dynascore; 0: does not count'),
        amrs: z
          .number()
          .nullable()
          .describe(
            'the exchange rate where AMRS is used (`exchange: amrs`, `amrs=live`, schema 1): units of it that one point of performance is worth; 0: the models do not differ in it; null: not used',
          ),
        rate: z
          .number()
          .nullable()
          .optional()
          .describe(
            'the fixed exchange rate ρ of a cost, in points per doubling; null for other metrics and where AMRS is used; absent in schema 1',
          ),
        signature: z.string().optional().describe('of a metric of texts: how it compares them'),
      }),
    )
    .describe('columns of the board'),
  datasets: z
    .array(
      z.object({
        name: z.string().describe('in the task'),
        version: z.int().describe('its version that is in force'),
        role: z.enum(['round', 'static']).describe('from a round of collection, or static'),
        round: z.int().optional().describe('number of the round'),
        examples: z.int().describe('how many it has'),
        weight: z.number().describe('in the mean over the datasets; 0: it is shown and does not rank'),
      }),
    )
    .describe('the datasets that the board is computed from'),
  hardware: z.string().nullable().optional().describe('the hardware class whose costs are compared'),
  stability: WeightStability.optional().describe(
    'how far the first place depends on the weights; with the official board, or with explain',
  ),
  pareto: z.array(z.string()).optional().describe('the metrics that define the `front` of a row'),
  explanation: z.array(RateExplanation).optional().describe('with explain: how each exchange rate came about'),
  against: z
    .object({
      model: ModelReference.optional().describe('the model that the rows are compared with'),
      benchmarkVersion: z
        .int()
        .optional()
        .describe('number of the previous benchmark version that the rows are compared with'),
      metric: z.string().describe("the task's performance metric, which is compared"),
      rows: z.int().describe('how many rows are compared, which p is corrected for'),
    })
    .optional()
    .describe('with against: what the rows are compared with'),
  rows: z.array(LeaderboardRow).describe('ranked models, the best first'),
  references: z
    .array(
      z.object({
        name: z
          .enum(['majority', 'random', 'human'])
          .describe('always the most frequent label; labels at random by their shares; people'),
        metrics: MetricValues.describe('by metric, over the datasets'),
        datasets: z.record(z.string(), MetricValues).describe('by dataset and metric'),
      }),
    )
    .describe('what no model is needed for: to compare with, never ranked'),
  incomplete: z
    .array(
      z.object({
        model: ModelReference.describe('which one'),
        pending: z.boolean().describe('what is missing is still to come'),
        missing: z
          .array(
            z.object({
              dataset: z.string().describe('its name'),
              why: z.string().describe('in words, with the metrics that are missing'),
            }),
          )
          .describe('what it lacks, by dataset'),
      }),
    )
    .describe('models without a rank, as they lack a figure that counts: a missing one is never 0'),
  nextCursor: z.string().optional().describe('`cursor` of the next page; none: this was the last'),
});
export type LeaderboardView = z.infer<typeof LeaderboardView>;

const LoopModel = z
  .object({
    id: z.string().describe('what addresses take'),
    name: z.string().describe('as its owner calls it'),
  })
  .describe('which one');

/** Explains rows with `belowBaseline` below a table. */
export const BELOW_BASELINE =
  'Models without a rank are not better than the baseline (95%): the majority label, random labels, or the model that the owner named.';

export const LoopView = namedObject('Loop', {
  models: z
    .array(
      z.object({
        model: LoopModel,
        since: z.iso.datetime().describe('when it was put there'),
        evidence: z
          .object({
            revision: z.int().describe('of the board that spoke for it'),
            rank: z.int().nullable().describe('on that board; null if it has none, as it is below the baseline'),
            dynascore: z.number().describe('on that board'),
            values: z.record(z.string(), z.number()).describe('by metric'),
            rule: z.string().describe('the policy of the task, in words'),
            warning: z
              .string()
              .optional()
              .describe('present if no model is better than the baseline, and the best is promoted all the same'),
            together: z
              .object({
                wrong: z.int().describe('examples that all of the loop get wrong'),
                examples: z.int().describe('how many there are on the scoring datasets'),
              })
              .optional()
              .describe('of a loop that was chosen for its diversity'),
          })
          .describe('why it was put there'),
        serving: Serving.optional().describe('absent where the task collects nothing'),
      }),
    )
    .describe('the models that the next round is collected against'),
  next: z
    .array(z.object({ model: LoopModel, why: z.string().describe('in words') }))
    .optional()
    .describe('the next candidates'),
});
export type LoopView = z.infer<typeof LoopView>;

export const LoopPreview = namedObject('LoopPreview', {
  revision: z.int().describe('of the board that it was decided on'),
  rule: z.string().describe('the policy in words'),
  held: z.boolean().describe('a round is open: its loop stays as it is until it closes'),
  models: z
    .array(
      z.object({
        model: LoopModel,
        owner: z.string().describe('name of the user who submitted it'),
        rank: z.int().nullable().describe('on that board; null: it has none'),
        dynascore: z.number().nullable().describe('on that board; null: it has none'),
        would: z
          .enum(['stay', 'join', 'leave', 'stay-out'])
          .describe('stay, join: the policy takes it; leave: it is a target model now and would not be'),
        why: z.string().describe('in a sentence'),
      }),
    )
    .describe('those that the policy takes, then those that come next, by rank'),
  together: z
    .object({
      wrong: z.int().describe('examples that all of the loop get wrong'),
      examples: z.int().describe('how many there are on the scoring datasets'),
    })
    .optional()
    .describe('of a loop that is chosen for its diversity'),
});
export type LoopPreview = z.infer<typeof LoopPreview>;
