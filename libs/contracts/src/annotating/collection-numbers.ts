import { z } from 'zod';
import { ModelReference } from '../boards/leaderboard.js';
import { Estimate } from '../metrics/metric.js';

/**
 * Human performance by metric: each validator against the consensus of the others (leave-one-out).
 * `n` is the number of answers.
 */
export type HumanFigures = Readonly<
  Record<
    string,
    { readonly n: number; readonly value: number; readonly low: number | null; readonly high: number | null }
  >
>;

/** The groupings of the collection statistics. */
export const NUMBERS_BY = ['round', 'target', 'annotator', 'tag', 'condition', 'day'] as const;
export type NumbersBy = (typeof NUMBERS_BY)[number];

const by = z.enum(NUMBERS_BY).optional().meta({
  description:
    'groups: by round, target model, annotator, tag of the context, condition, or day of UTC; default: none, the total alone',
});

export const TaskNumbersQuery = z.strictObject({ by }).meta({ id: 'TaskNumbersQuery' });
export type TaskNumbersQuery = z.infer<typeof TaskNumbersQuery>;

const Rate = z
  .object({
    numerator: z.int().meta({ description: 'examples that count for it' }),
    denominator: z.int().meta({ description: 'examples that it is a share of' }),
    value: z.number().nullable().meta({ description: 'numerator ÷ denominator; null: of none' }),
    low: z.number().nullable().meta({
      description:
        'where its 95 percent interval begins (Wilson, clustered by annotator); null: of none, or of one annotator',
    }),
    high: z.number().nullable().meta({ description: 'where its 95 percent interval ends' }),
  })
  .meta({ id: 'CollectionRate' });
export type CollectionRate = z.infer<typeof Rate>;

const outcomes = {
  pending: z.int().meta({ description: 'of which too few validators agree so far' }),
  validated: z.int().meta({ description: 'that validators found correct, or gave another label' }),
  rejected: z.int().meta({ description: 'that they found incorrect' }),
  flagged: z.int().meta({ description: 'that they flagged' }),
  undecided: z.int().meta({ description: 'on which they did not agree' }),
};

export const CollectionFigures = z
  .object({
    submitted: z.int().meta({ description: 'examples written here, retracted ones left out' }),
    retracted: z.int().meta({ description: 'retracted by their authors: part of no other figure' }),
    annotators: z.int().meta({ description: 'people who wrote what was submitted' }),
    ...outcomes,
    withoutModel: z.int().meta({
      description:
        'submitted where no model was shown (control arm), or none answered before the close: part of neither mer nor vmer nor yield',
    }),
    unknown: z
      .int()
      .meta({ description: 'submitted against a model, and not known whether it was fooled: as withoutModel' }),
    mer: Rate.meta({ description: 'model error rate: fooled ÷ submitted' }),
    vmer: Rate.meta({ description: 'validated model error rate: validated fooling ÷ validated; pending ones apart' }),
    yield: Rate.meta({
      description:
        'validated fooling ÷ all whose validation is over, rejected, flagged and undecided ones among them: what is left of the effort',
    }),
    seconds: z
      .object({
        n: z.int().meta({ description: 'examples whose time is known' }),
        lowerQuartile: z.number().nullable().meta({ description: 'a quarter took no longer' }),
        median: z.number().nullable().meta({ description: 'half of them took no longer' }),
        upperQuartile: z.number().nullable().meta({ description: 'three quarters took no longer' }),
      })
      .meta({ description: 'from the context shown to the example sent' }),
    editDistance: z
      .object({
        n: z.int().meta({ description: 'examples that were written by editing a prompt' }),
        median: z.number().nullable().meta({ description: 'half of them changed no more characters' }),
      })
      .meta({ description: 'Levenshtein distance from the prompt' }),
    explained: z
      .object({
        numerator: z.int().meta({ description: 'submitted with at least one explanation' }),
        denominator: z.int().meta({ description: 'submitted' }),
        value: z.number().nullable().meta({ description: 'numerator ÷ denominator; null: of none' }),
      })
      .meta({ description: 'share with explanations' }),
    attested: z
      .object({
        examples: z.int().meta({ description: 'that stand' }),
        ...outcomes,
        validatedFooling: z.int().meta({ description: 'validated ones that fooled their model' }),
      })
      .meta({ description: 'examples that came from elsewhere: part of no other figure' }),
  })
  .meta({ id: 'CollectionFigures' });
export type CollectionFigures = z.infer<typeof CollectionFigures>;

export const CollectionGroup = CollectionFigures.extend({
  key: z.string().nullable().meta({
    description:
      'number of the round, id of the model, pseudonym, tag, name of the condition, or day; null: none, or a model that you may not see',
  }),
  model: ModelReference.optional().meta({ description: 'by target: which one' }),
}).meta({ id: 'CollectionGroup' });
export type CollectionGroup = z.infer<typeof CollectionGroup>;

export const CollectionNumbers = z
  .object({
    task: z.string().meta({ description: 'its slug' }),
    round: z.int().optional().meta({ description: 'its number, where they are of one round' }),
    by: z.enum(NUMBERS_BY).optional().meta({ description: 'the field that defines the groups' }),
    total: CollectionFigures.meta({ description: 'of all examples' }),
    groups: z.array(CollectionGroup).meta({ description: 'in the order of their keys' }),
    agreement: z
      .object({
        of: z.enum(['labels', 'verdicts']).meta({
          description:
            'what validators answered before they saw the label of the author; of a free text their verdicts',
        }),
        alpha: Estimate.meta({ description: '1: they always agree; 0: as by chance; below 0: less than by chance' }),
        units: z.int().meta({ description: 'examples that at least two answered' }),
        ratings: z.int().meta({ description: 'answers to those' }),
      })
      .nullable()
      .optional()
      .meta({ description: "of a round: Krippendorff's alpha; null: nothing can be told yet" }),
    leftOut: z
      .object({
        rounds: z
          .array(z.int())
          .meta({ description: 'numbers of rounds that are not closed: which model is which is not told' }),
        groups: z.int().meta({ description: 'tags of fewer than ten examples, which only the owner of the task sees' }),
      })
      .meta({ description: 'what the groups lack' }),
  })
  .meta({ id: 'CollectionNumbers' });
export type CollectionNumbers = z.infer<typeof CollectionNumbers>;

export const TrendQuery = z
  .strictObject({
    models: z.coerce.number().int().min(1).max(100).default(5).meta({ description: 'how many of the top' }),
  })
  .meta({ id: 'TrendQuery' });
export type TrendQuery = z.infer<typeof TrendQuery>;

export const TrendView = z
  .object({
    task: z.string().meta({ description: 'its slug' }),
    performance: z.string().meta({ description: "the task's performance metric" }),
    rounds: z
      .array(
        z.object({
          round: z.int().meta({ description: 'its number' }),
          dataset: z.string().meta({ description: 'what became of it' }),
          use: z.enum(['scoring', 'reporting']).meta({ description: 'whether it ranks, or is shown alone' }),
          benchmarkVersion: z.int().meta({ description: 'the first that has the dataset' }),
          revision: z.int().meta({ description: 'the last board of that benchmark version: what "then" means' }),
          publishedAt: z.iso.datetime().meta({ description: 'when that board came out' }),
          human: Estimate.nullable().meta({ description: 'human performance on it; null: not known' }),
          models: z
            .array(
              z.object({
                rank: z.int().meta({ description: 'on that board' }),
                model: ModelReference.meta({ description: 'which one' }),
                value: Estimate.nullable().meta({ description: 'its performance on the dataset; null: it has none' }),
                collectedAgainst: z.boolean().meta({
                  description:
                    'it was a target model of the round: wrong on the examples that fooled it by construction',
                }),
                inLoop: z.boolean().meta({
                  description:
                    'it was a target model when the next board was published, or is one now if this is the newest round',
                }),
              }),
            )
            .meta({ description: 'the top then, the best first' }),
        }),
      )
      .meta({ description: 'rounds that became datasets on a board, by number' }),
  })
  .meta({ id: 'Trend' });
export type TrendView = z.infer<typeof TrendView>;

const SaturationCurve = z.object({
  first: z.number().nullable().meta({ description: 'performance of the first model; null: there is none' }),
  human: z.number().nullable().meta({ description: 'human performance; null: not known' }),
  reason: z
    .enum(['no_human_figure', 'no_model', 'first_equals_human'])
    .nullable()
    .meta({ description: 'why there is no saturation; null: there is' }),
  points: z
    .array(
      z.object({
        at: z.iso.datetime().meta({ description: 'when the model came' }),
        model: ModelReference.meta({ description: 'which one' }),
        best: z.number().meta({ description: 'its performance: the best until then' }),
        saturation: z
          .number()
          .nullable()
          .meta({ description: '(best − human) ÷ |first − human|: first model −1, people 0' }),
      }),
    )
    .meta({ description: 'the first model, and each that was better than all before' }),
});

const OverallSaturation = SaturationCurve.extend({
  datasets: z.array(z.string()).meta({ description: 'those that weigh and have a figure of people' }),
});

export const SaturationView = z
  .object({
    task: z.string().meta({ description: 'its slug' }),
    performance: z.string().meta({ description: "the task's performance metric" }),
    revision: z.int().meta({ description: 'of the board whose figures these are' }),
    overall: OverallSaturation.meta({
      description: 'of the task: aggregated over these datasets as its board weighs them',
    }),
    datasets: z
      .array(
        SaturationCurve.extend({
          dataset: z.string().meta({ description: 'its name' }),
          round: z.int().optional().meta({ description: 'number of the round' }),
        }),
      )
      .meta({ description: 'each of the board' }),
  })
  .meta({ id: 'Saturation' });
export type SaturationView = z.infer<typeof SaturationView>;

export const OverviewView = z
  .object({
    items: z
      .array(
        z.object({
          task: z.string().meta({ description: 'its slug' }),
          name: z.string().meta({ description: 'for people' }),
          description: z.string().optional().meta({ description: 'what it is about' }),
          rounds: z.int().meta({ description: 'how many, imported ones among them' }),
          openRound: z.int().nullable().meta({ description: 'number of the round that is open; null: none is' }),
          examples: z.int().meta({
            description: 'collected: submitted or attested here, and those of rounds that came as files',
          }),
          vmer: Rate.meta({ description: 'validated fooling ÷ validated, over all rounds' }),
          models: z.int().meta({ description: 'ranked on its board' }),
          leaders: z
            .array(
              z.object({
                rank: z.int().meta({ description: 'by Dynascore' }),
                model: ModelReference.meta({ description: 'which one' }),
                dynascore: z.number().meta({ description: 'on the official board' }),
                performance: Estimate.nullable().meta({
                  description: "the task's performance metric over its datasets",
                }),
              }),
            )
            .meta({ description: 'the first three of its board' }),
          saturation: OverallSaturation.extend({
            performance: z.string().meta({ description: "the task's performance metric" }),
          })
            .nullable()
            .meta({ description: 'of the newest board, over all its datasets; null: the task has no board' }),
        }),
      )
      .meta({ description: 'all tasks, in the order in which they were made' }),
  })
  .meta({ id: 'Overview' });
export type OverviewView = z.infer<typeof OverviewView>;
