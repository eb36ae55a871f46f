import { z } from 'zod';
import { ModelReference } from '../boards/leaderboard.js';
import { Estimate } from '../metrics/metric.js';
import { namedObject, namedStrictObject } from '../named-object.js';

/**
 * Human performance by metric. Without `source`, each validator was scored against the consensus of
 * the others (leave-one-out). With it, the owner of the task gave the figure. `n` is the number of
 * answers, null if the owner did not give it.
 */
export type HumanFigures = Readonly<
  Record<
    string,
    {
      readonly n: number | null;
      readonly value: number;
      readonly low: number | null;
      readonly high: number | null;
      readonly source?: string;
    }
  >
>;

/** The groupings of the collection statistics. */
export const NUMBERS_BY = ['round', 'target', 'annotator', 'tag', 'condition', 'day'] as const;
export type NumbersBy = (typeof NUMBERS_BY)[number];

const by = z
  .enum(NUMBERS_BY)
  .optional()
  .describe(
    'groups: by round, target model, annotator, tag of the context, condition, or day of UTC; default: none, the total alone',
  );

export const TaskNumbersQuery = namedStrictObject('TaskNumbersQuery', { by });
export type TaskNumbersQuery = z.infer<typeof TaskNumbersQuery>;

const Rate = namedObject('CollectionRate', {
  numerator: z.int().describe('examples that count for it'),
  denominator: z.int().describe('examples that it is a share of'),
  value: z.number().nullable().describe('numerator ÷ denominator; null: of none'),
  low: z
    .number()
    .nullable()
    .describe(
      'lower bound of its 95 percent interval (Wilson, clustered by annotator and context; for one annotator by context); null: fewer than five annotators or contexts, or in the overview of all tasks',
    ),
  high: z.number().nullable().describe('upper bound of its 95 percent interval'),
});
export type CollectionRate = z.infer<typeof Rate>;

const ValidatedRate = Rate.extend({
  pending: z
    .int()
    .describe('examples of the denominator that are not validated yet; while there are any, the rate is a lower bound'),
}).meta({ id: 'ValidatedErrorRate' });
export type ValidatedErrorRate = z.infer<typeof ValidatedRate>;

const outcomes = {
  pending: z.int().describe('of which too few validators agree so far'),
  validated: z.int().describe('that validators found correct, or gave another label'),
  rejected: z.int().describe('that they found incorrect'),
  flagged: z.int().describe('that they flagged'),
  undecided: z.int().describe('on which they did not agree'),
};

export const CollectionFigures = namedObject('CollectionFigures', {
  submitted: z.int().describe('examples written here, retracted ones left out'),
  retracted: z.int().describe('retracted by their authors: part of no other figure'),
  annotators: z.int().describe('people who wrote what was submitted'),
  ...outcomes,
  withoutModel: z
    .int()
    .describe(
      'submitted where no model was shown (control arm), or none answered before the close: part of neither mer nor vmer nor yield',
    ),
  unknown: z.int().describe('submitted against a model, and not known whether it was fooled: as withoutModel'),
  mer: Rate.describe('model error rate: fooled ÷ submitted'),
  vmer: ValidatedRate.describe(
    'validated model error rate: examples that fooled a model and were validated ÷ all examples written against a model',
  ),
  errorRateAmongValidated: Rate.describe(
    'examples that fooled a model and were validated ÷ validated examples written against a model',
  ),
  yield: Rate.describe(
    'validated fooling ÷ all whose validation is over, rejected, flagged and undecided ones among them: what is left of the effort',
  ),
  seconds: z
    .object({
      n: z.int().describe('examples whose time is known'),
      lowerQuartile: z.number().nullable().describe('a quarter took no longer'),
      median: z.number().nullable().describe('half of them took no longer'),
      upperQuartile: z.number().nullable().describe('three quarters took no longer'),
    })
    .describe('from the context shown to the example sent'),
  editDistance: z
    .object({
      n: z.int().describe('examples that were written by editing a prompt'),
      median: z.number().nullable().describe('half of them changed no more characters'),
    })
    .describe('Levenshtein distance from the prompt'),
  explained: z
    .object({
      numerator: z.int().describe('submitted with at least one explanation'),
      denominator: z.int().describe('submitted'),
      value: z.number().nullable().describe('numerator ÷ denominator; null: of none'),
    })
    .describe('share with explanations'),
  attested: z
    .object({
      examples: z.int().describe('that stand'),
      ...outcomes,
      validatedFooling: z.int().describe('validated ones that fooled their model'),
    })
    .describe('examples that came from elsewhere: part of no other figure'),
});
export type CollectionFigures = z.infer<typeof CollectionFigures>;

export const CollectionGroup = CollectionFigures.extend({
  key: z
    .string()
    .nullable()
    .describe(
      'number of the round, id of the model, pseudonym, tag, name of the condition, or day; null: none, or a model that you may not see',
    ),
  model: ModelReference.optional().describe('by target: which one'),
}).meta({ id: 'CollectionGroup' });
export type CollectionGroup = z.infer<typeof CollectionGroup>;

export const CollectionNumbers = namedObject('CollectionNumbers', {
  task: z.string().describe('its slug'),
  round: z.int().optional().describe('its number, where they are of one round'),
  by: z.enum(NUMBERS_BY).optional().describe('the field that defines the groups'),
  total: CollectionFigures.describe('of all examples'),
  groups: z.array(CollectionGroup).describe('in the order of their keys'),
  agreement: z
    .object({
      of: z
        .enum(['labels', 'verdicts'])
        .describe('what validators answered before they saw the label of the author; of a free text their verdicts'),
      alpha: Estimate.describe('1: they always agree; 0: as by chance; below 0: less than by chance'),
      units: z.int().describe('examples that at least two answered'),
      ratings: z.int().describe('answers to those'),
    })
    .nullable()
    .optional()
    .describe("of a round: Krippendorff's alpha; null: nothing can be told yet"),
  leftOut: z
    .object({
      rounds: z.array(z.int()).describe('numbers of rounds that are not closed: which model is which is not told'),
      groups: z.int().describe('tags of fewer than ten examples, which only the owner of the task sees'),
    })
    .describe('what the groups lack'),
});
export type CollectionNumbers = z.infer<typeof CollectionNumbers>;

export const TrendQuery = namedStrictObject('TrendQuery', {
  models: z.coerce.number().int().min(1).max(100).default(5).describe('how many of the top'),
});
export type TrendQuery = z.infer<typeof TrendQuery>;

export const TrendView = namedObject('Trend', {
  task: z.string().describe('its slug'),
  performance: z.string().describe("the task's performance metric"),
  rounds: z
    .array(
      z.object({
        round: z.int().describe('its number'),
        dataset: z.string().describe('what became of it'),
        use: z.enum(['scoring', 'reporting']).describe('whether it ranks, or is shown alone'),
        benchmarkVersion: z.int().describe('the first that has the dataset'),
        revision: z.int().describe('the last board of that benchmark version: what "then" means'),
        publishedAt: z.iso.datetime().describe('when that board came out'),
        human: Estimate.nullable().describe('human performance on it; null: not known'),
        models: z
          .array(
            z.object({
              rank: z.int().describe('on that board'),
              model: ModelReference.describe('which one'),
              value: Estimate.nullable().describe('its performance on the dataset; null: it has none'),
              collectedAgainst: z
                .boolean()
                .describe('it was a target model of the round: wrong on the examples that fooled it by construction'),
              inLoop: z
                .boolean()
                .describe(
                  'it was a target model when the next board was published, or is one now if this is the newest round',
                ),
            }),
          )
          .describe('the top then, the best first'),
      }),
    )
    .describe('rounds that became datasets on a board, by number'),
});
export type TrendView = z.infer<typeof TrendView>;

const SaturationCurve = z.object({
  first: z.number().nullable().describe('performance of the first model; null: there is none'),
  human: z.number().nullable().describe('human performance; null: not known'),
  reason: z
    .enum(['no_human_figure', 'no_model', 'first_equals_human'])
    .nullable()
    .describe('why there is no saturation; null: there is'),
  points: z
    .array(
      z.object({
        at: z.iso.datetime().describe('when the model came'),
        model: ModelReference.describe('which one'),
        best: z.number().describe('its performance: the best until then'),
        saturation: z.number().nullable().describe('(best − human) ÷ |first − human|: first model −1, people 0'),
      }),
    )
    .describe('the first model, and each that was better than all before'),
});

const OverallSaturation = SaturationCurve.extend({
  datasets: z.array(z.string()).describe('those that weigh and have a figure of people'),
});

export const SaturationView = namedObject('Saturation', {
  task: z.string().describe('its slug'),
  performance: z.string().describe("the task's performance metric"),
  revision: z.int().describe('of the board whose figures these are'),
  overall: OverallSaturation.describe('of the task: aggregated over these datasets as its board weighs them'),
  datasets: z
    .array(
      SaturationCurve.extend({
        dataset: z.string().describe('its name'),
        round: z.int().optional().describe('number of the round'),
      }),
    )
    .describe('each of the board'),
});
export type SaturationView = z.infer<typeof SaturationView>;

export const OverviewView = namedObject('Overview', {
  items: z
    .array(
      z.object({
        task: z.string().describe('its slug'),
        name: z.string().describe('for people'),
        description: z.string().optional().describe('what it is about'),
        rounds: z.int().describe('how many, imported ones among them'),
        openRound: z.int().nullable().describe('number of the round that is open; null: none is'),
        examples: z.int().describe('collected: submitted or attested here, and those of rounds that came as files'),
        vmer: ValidatedRate.describe('validated model error rate over all rounds'),
        models: z.int().describe('ranked on its board'),
        leaders: z
          .array(
            z.object({
              rank: z.int().describe('by Dynascore'),
              model: ModelReference.describe('which one'),
              dynascore: z.number().describe('on the official board'),
              performance: Estimate.nullable().describe("the task's performance metric over its datasets"),
            }),
          )
          .describe('the first three of its board'),
        saturation: OverallSaturation.extend({
          performance: z.string().describe("the task's performance metric"),
        })
          .nullable()
          .describe('of the newest board, over all its datasets; null: the task has no board'),
      }),
    )
    .describe('tasks, the oldest first'),
  nextCursor: z.string().optional().describe('`cursor` of the next page; absent on the last page'),
});
export type OverviewView = z.infer<typeof OverviewView>;
