import { z } from 'zod';
import { EXPOSURES, ModelReference } from './leaderboard.js';
import { DIRECTIONS, Estimate, PERTURBATIONS } from './metric.js';
import { ModelKind } from './model.js';

/** Models that one request may set against each other. */
export const MOST_COMPARED = 20;

const flag = z.enum(['', 'true', 'false']).transform((text) => text !== 'false');

const model = (description: string) => z.string().trim().min(1).max(200).optional().meta({ description });

export const CompareQuery = z
  .strictObject({
    a: model('a model, by its id or its name'),
    b: model('the other one'),
    models: z
      .string()
      .max(4_000)
      .transform((text) =>
        text
          .split(',')
          .map((each) => each.trim())
          .filter((each) => each !== ''),
      )
      .pipe(z.array(z.string()).min(2).max(MOST_COMPARED))
      .optional()
      .meta({ description: `instead of a and b: 2 to ${MOST_COMPARED} models, by ids or names; gives all pairs` }),
    asOf: z
      .string()
      .max(40)
      .optional()
      .meta({ description: 'v3: on the dataset versions of benchmark version 3; default: on those in force' }),
    examples: flag
      .optional()
      .meta({ description: 'also the examples of `dataset` of which exactly one model has answered right' }),
    dataset: z.string().max(80).optional().meta({ description: 'with examples' }),
    limit: z.coerce.number().int().min(1).max(200).optional().meta({ description: 'of examples; default: 50' }),
    cursor: z.string().max(200).optional(),
  })
  .meta({ id: 'CompareQuery' });
export type CompareQuery = z.infer<typeof CompareQuery>;

/** By what it was tested whether a difference is chance alone. */
export const COMPARISON_TESTS = ['mcnemar-mid-p', 'sign-flips', 'swaps', 'normal-tail', 'bootstrap'] as const;
export type ComparisonTest = (typeof COMPARISON_TESTS)[number];

const Side = z.enum(['a', 'b']);

export const Difference = z
  .object({
    difference: Estimate.meta({ description: 'a minus b, on the same examples' }),
    p: z.number().nullable().meta({
      description: 'how often chance alone gives a difference at least as large; null where the data cannot say',
    }),
    better: Side.nullable().meta({ description: 'which one is better at 5 percent; null: they can not be told apart' }),
  })
  .meta({ id: 'Difference' });
export type Difference = z.infer<typeof Difference>;

export const MetricComparison = Difference.extend({
  a: Estimate,
  b: Estimate,
  test: z.enum(COMPARISON_TESTS).meta({
    description:
      "mcnemar-mid-p: exact; sign-flips: of whole clusters; swaps: of the models' answers, in whole clusters; normal-tail: by the standard error, " +
      'where the draws are too few; bootstrap: the same, by the standard error of joint resamples',
  }),
  discordant: z
    .object({ a: z.int(), b: z.int() })
    .optional()
    .meta({ description: 'examples that only one has answered right: a alone, b alone' }),
  detectable: z.number().nullable().meta({
    description: 'the smallest difference that so many examples show in 4 of 5 cases, in the unit of the metric',
  }),
}).meta({ id: 'MetricComparison' });
export type MetricComparison = z.infer<typeof MetricComparison>;

export const SliceComparison = z
  .object({
    n: z.int(),
    metrics: z.record(
      z.string(),
      MetricComparison.extend({
        standsOut: z.boolean().meta({
          description:
            "the difference survives Benjamini and Hochberg's procedure at 5 percent over the slices of the field",
        }),
      }),
    ),
  })
  .meta({ id: 'SliceComparison' });
export type SliceComparison = z.infer<typeof SliceComparison>;

export const ComparedModel = ModelReference.extend({ kind: ModelKind }).meta({ id: 'ComparedModel' });
export type ComparedModel = z.infer<typeof ComparedModel>;

const Sides = <T extends z.ZodType>(of: T) => z.object({ a: of, b: of });

export const DatasetComparison = z
  .object({
    dataset: z.string(),
    version: z.int(),
    round: z.int().optional(),
    use: z.enum(['scoring', 'reporting']),
    perturbation: z.enum(PERTURBATIONS).optional(),
    n: z.int().meta({ description: 'examples' }),
    weight: z.number().meta({ description: 'in the overall difference; the weights sum to 1' }),
    exposure: Sides(z.enum(EXPOSURES)).meta({
      description: 'clean where the model was submitted before any of the data was public',
    }),
    own: Sides(z.boolean()).meta({ description: 'the dataset was collected against this model' }),
    warnings: z.array(z.string()),
    metrics: z.record(z.string(), MetricComparison),
    slices: z.record(z.string(), z.record(z.string(), SliceComparison)).meta({
      description: 'by field and value: slices of at least 30 examples',
    }),
  })
  .meta({ id: 'DatasetComparison' });
export type DatasetComparison = z.infer<typeof DatasetComparison>;

const MissingDataset = z.object({
  dataset: z.string(),
  version: z.int(),
  perturbation: z.enum(PERTURBATIONS).optional(),
  why: z.string(),
});

const Overall = z.object({
  comparable: z.int().meta({ description: 'k: dataset versions of those in force that the difference is made of' }),
  of: z.int().meta({ description: 'm: dataset versions in force that rank' }),
  metrics: z.record(z.string(), Difference).meta({
    description: 'the difference weighted over the datasets as the board weighs them',
  }),
  missing: z.array(MissingDataset).meta({ description: 'dataset versions that are not compared, or do not count' }),
});

const ComparedCost = z.object({
  unit: z.string(),
  direction: z.enum(DIRECTIONS),
  a: z.number().nullable(),
  b: z.number().nullable(),
  difference: z.number().nullable().meta({ description: 'null where the hardware classes differ' }),
});

export const ExampleDifference = z
  .object({
    id: z.string(),
    inputs: z.record(z.string(), z.unknown()),
    gold: z.array(z.string()),
    right: Side,
    ...Sides(
      z.object({
        answer: z.string().nullable().meta({ description: 'null: a bad answer that the task tolerated' }),
        probabilities: z.record(z.string(), z.number()).optional(),
      }),
    ).shape,
  })
  .meta({ id: 'ExampleDifference' });
export type ExampleDifference = z.infer<typeof ExampleDifference>;

export const ExampleDifferences = z
  .object({
    dataset: z.string(),
    version: z.int(),
    metric: z.string().meta({ description: 'what says which answers are right' }),
    items: z.array(ExampleDifference),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'ExampleDifferences' });
export type ExampleDifferences = z.infer<typeof ExampleDifferences>;

export const CompareView = z
  .object({
    task: z.string(),
    benchmarkVersion: z.int(),
    performance: z.string(),
    metrics: z.array(z.object({ name: z.string(), unit: z.string(), direction: z.enum(DIRECTIONS) })),
    ...Sides(ComparedModel).shape,
    sameComputation: z.boolean().meta({
      description: 'both have the same run specification: they are one computation under two names',
    }),
    warnings: z.array(z.string()),
    overall: Overall,
    datasets: z.array(DatasetComparison),
    costs: z.object({
      hardware: Sides(z.array(z.string())).meta({ description: 'hardware classes that the costs were measured on' }),
      comparable: z.boolean().meta({ description: 'both were measured on one and the same class' }),
      metrics: z.record(z.string(), ComparedCost),
    }),
    examples: ExampleDifferences.optional(),
  })
  .meta({ id: 'Comparison' });
export type CompareView = z.infer<typeof CompareView>;

export const CompareMatrixView = z
  .object({
    task: z.string(),
    benchmarkVersion: z.int(),
    performance: z.string(),
    models: z.array(ComparedModel),
    of: z.int().meta({ description: 'm: dataset versions in force that rank' }),
    pairs: z.array(
      Difference.extend({
        a: z.string().meta({ description: 'id' }),
        b: z.string().meta({ description: 'id' }),
        comparable: z.int().meta({ description: 'k: of those, how many this pair is compared on' }),
        holm: z.number().nullable().meta({ description: "p by Holm's procedure over the pairs; `better` goes by it" }),
        sameComputation: z.boolean(),
        warnings: z.array(z.string()),
      }).partial({ difference: true }),
    ),
  })
  .meta({ id: 'ComparisonMatrix' });
export type CompareMatrixView = z.infer<typeof CompareMatrixView>;
