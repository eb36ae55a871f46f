import { z } from 'zod';
import { EXPOSURES, ModelReference } from '../boards/leaderboard.js';
import { DIRECTIONS, Estimate, PERTURBATIONS } from '../metrics/metric.js';
import { ModelKind } from '../models/model.js';
import { QueryFlag } from '../text/quantity.js';

/** The largest number of models in one comparison. */
export const MOST_COMPARED = 20;

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
      .refine((names) => names.length >= 2, { error: 'needs at least two models', params: { code: 'models_missing' } })
      .refine((names) => names.length <= MOST_COMPARED, {
        error: ({ input }) => `has ${(input as string[]).length} models; the limit is ${MOST_COMPARED}`,
        params: { code: 'too_many_models' },
      })
      .optional()
      .meta({ description: `instead of a and b: 2 to ${MOST_COMPARED} models, by ids or names; gives all pairs` }),
    asOf: z
      .string()
      .max(40)
      .optional()
      .meta({ description: 'v3: on the dataset versions of benchmark version 3; default: on those in force' }),
    examples: QueryFlag.optional().meta({
      description: 'also the examples of `dataset` of which exactly one model has answered right',
    }),
    dataset: z.string().max(80).optional().meta({ description: 'with examples' }),
    limit: z.coerce.number().int().min(1).max(200).optional().meta({ description: 'of examples; default: 50' }),
    cursor: z.string().max(200).optional(),
  })
  .meta({ id: 'CompareQuery' });
export type CompareQuery = z.infer<typeof CompareQuery>;

/** The statistical tests of whether a difference is due to chance alone. */
export const COMPARISON_TESTS = ['mcnemar-mid-p', 'sign-flips', 'swaps', 'normal-tail', 'bootstrap'] as const;

const Side = z.enum(['a', 'b']);

export const Difference = z
  .object({
    difference: Estimate.meta({ description: 'a minus b, on the same examples' }),
    p: z.number().nullable().meta({
      description: 'how often chance alone gives a difference at least as large; null where the data cannot say',
    }),
    better: Side.nullable().meta({ description: 'which one is better at 5 percent; null: no significant difference' }),
  })
  .meta({ id: 'Difference' });
export type Difference = z.infer<typeof Difference>;

export const MetricComparison = Difference.extend({
  a: Estimate.meta({ description: 'what a has' }),
  b: Estimate.meta({ description: 'what b has' }),
  test: z.enum(COMPARISON_TESTS).meta({
    description:
      "mcnemar-mid-p: exact; sign-flips: of whole clusters; swaps: of the models' answers, in whole clusters; normal-tail: by the standard error, " +
      'where the draws are too few; bootstrap: the same, by the standard error of joint resamples',
  }),
  discordant: z
    .object({ a: z.int().meta({ description: 'by a alone' }), b: z.int().meta({ description: 'by b alone' }) })
    .optional()
    .meta({ description: 'examples that only one of both has answered right: all that the difference is made of' }),
  detectable: z.number().nullable().meta({
    description: 'the smallest difference that this many examples detect in 4 of 5 cases, in the unit of the metric',
  }),
}).meta({ id: 'MetricComparison' });
export type MetricComparison = z.infer<typeof MetricComparison>;

export const SliceComparison = z
  .object({
    n: z.int().meta({ description: 'examples in the slice' }),
    metrics: z
      .record(
        z.string(),
        MetricComparison.extend({
          standsOut: z.boolean().meta({
            description:
              "the difference survives Benjamini and Hochberg's procedure at 5 percent over the slices of the field",
          }),
        }),
      )
      .meta({ description: 'by metric, on these examples alone' }),
  })
  .meta({ id: 'SliceComparison' });
export type SliceComparison = z.infer<typeof SliceComparison>;

export const ComparedModel = ModelReference.extend({
  kind: ModelKind.meta({ description: 'container and onnx ran here; predictions were uploaded' }),
}).meta({ id: 'ComparedModel' });
export type ComparedModel = z.infer<typeof ComparedModel>;

const Sides = <T extends z.ZodType>(of: T) => z.object({ a: of, b: of });

export const DatasetComparison = z
  .object({
    dataset: z.string().meta({ description: 'its name' }),
    version: z.int().meta({ description: 'its version that both models answered' }),
    round: z.int().optional().meta({ description: 'number of the round that it is of' }),
    use: z.enum(['scoring', 'reporting']).meta({ description: 'whether it ranks, or is for looking alone' }),
    perturbation: z
      .enum(PERTURBATIONS)
      .optional()
      .meta({ description: 'the examples are perturbed versions of those of the dataset' }),
    n: z.int().meta({ description: 'examples; of a perturbed version its originals' }),
    weight: z.number().meta({
      description:
        'as the board weighs it; what was collected against one of the two is left out of the overall difference all the same',
    }),
    exposure: Sides(z.enum(EXPOSURES).meta({ description: 'of this model' })).meta({
      description: 'clean where the model was submitted before any of the data was public',
    }),
    own: Sides(z.boolean().meta({ description: 'of this model' })).meta({
      description: 'the dataset was collected against this model',
    }),
    warnings: z.array(z.string()).meta({ description: 'what to keep in mind, in words' }),
    metrics: z.record(z.string(), MetricComparison).meta({ description: 'by metric' }),
    slices: z.record(z.string(), z.record(z.string(), SliceComparison)).meta({
      description: 'by field and value: slices of at least 30 examples',
    }),
  })
  .meta({ id: 'DatasetComparison' });
export type DatasetComparison = z.infer<typeof DatasetComparison>;

const MissingDataset = z.object({
  dataset: z.string().meta({ description: 'its name' }),
  version: z.int().meta({ description: 'number of the version' }),
  perturbation: z.enum(PERTURBATIONS).optional().meta({ description: 'it is the perturbed version that is missing' }),
  why: z.string().meta({ description: 'in words' }),
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
  unit: z.string().meta({ description: 'of the cost' }),
  direction: z.enum(DIRECTIONS).meta({ description: 'which values are better' }),
  a: z
    .number()
    .nullable()
    .meta({ description: 'mean over its datasets, as the board weighs them; null: not measured' }),
  b: z.number().nullable().meta({ description: 'the same of b' }),
  difference: z.number().nullable().meta({ description: 'null where the hardware classes differ' }),
  contended: Sides(z.boolean().meta({ description: 'of this model' }))
    .optional()
    .meta({ description: 'some of it was measured while something else used the host; absent where none was' }),
});

export const ExampleDifference = z
  .object({
    id: z.string().meta({ description: 'of the example in its dataset' }),
    inputs: z.record(z.string(), z.unknown()).meta({ description: 'what both models saw' }),
    gold: z.array(z.string()).meta({ description: 'the right answer, or any of several' }),
    right: Side.meta({ description: 'which model has answered right' }),
    ...Sides(
      z
        .object({
          answer: z.string().nullable().meta({ description: 'null: a bad answer that the task tolerated' }),
          probabilities: z
            .record(z.string(), z.number())
            .optional()
            .meta({ description: 'by label, where the model gave them' }),
        })
        .meta({ description: 'what the model answered' }),
    ).shape,
  })
  .meta({ id: 'ExampleDifference' });
export type ExampleDifference = z.infer<typeof ExampleDifference>;

export const ExampleDifferences = z
  .object({
    dataset: z.string().meta({ description: 'its name' }),
    version: z.int().meta({ description: 'number of the version' }),
    metric: z.string().meta({ description: 'what says which answers are right' }),
    items: z.array(ExampleDifference).meta({ description: "in the dataset's order" }),
    nextCursor: z.string().optional().meta({ description: '`cursor` of the next page; none: this was the last' }),
  })
  .meta({ id: 'ExampleDifferences' });
export type ExampleDifferences = z.infer<typeof ExampleDifferences>;

export const CompareView = z
  .object({
    task: z.string().meta({ description: 'its slug' }),
    benchmarkVersion: z.int().meta({ description: 'whose dataset versions are compared on' }),
    performance: z.string().meta({ description: "the task's performance metric" }),
    metrics: z
      .array(
        z.object({
          name: z.string().meta({ description: 'such as accuracy' }),
          unit: z.string().meta({ description: 'ratio: shown in percent' }),
          direction: z.enum(DIRECTIONS).meta({ description: 'which values are better' }),
        }),
      )
      .meta({ description: 'what is compared' }),
    a: ComparedModel.meta({ description: 'the first model' }),
    b: ComparedModel.meta({ description: 'the second one' }),
    sameComputation: z.boolean().meta({
      description: 'both have the same run specification: they are one computation under two names',
    }),
    warnings: z.array(z.string()).meta({ description: 'what to keep in mind, in words' }),
    overall: Overall.meta({ description: 'over all datasets that count' }),
    datasets: z.array(DatasetComparison).meta({ description: 'each by itself, perturbed versions too' }),
    costs: z
      .object({
        hardware: Sides(z.array(z.string()).meta({ description: 'of this model' })).meta({
          description: 'hardware classes that the costs were measured on',
        }),
        comparable: z.boolean().meta({ description: 'both were measured on one and the same class' }),
        metrics: z.record(z.string(), ComparedCost).meta({ description: 'by cost' }),
      })
      .meta({ description: 'what both cost, side by side' }),
    examples: ExampleDifferences.optional().meta({ description: 'with examples: those that tell both apart' }),
  })
  .meta({ id: 'Comparison' });
export type CompareView = z.infer<typeof CompareView>;

export const CompareMatrixView = z
  .object({
    task: z.string().meta({ description: 'its slug' }),
    benchmarkVersion: z.int().meta({ description: 'whose dataset versions are compared on' }),
    performance: z.string().meta({ description: 'the metric that is compared' }),
    models: z.array(ComparedModel).meta({ description: 'in the order of the request' }),
    of: z.int().meta({ description: 'm: dataset versions in force that rank' }),
    pairs: z
      .array(
        Difference.extend({
          a: z.string().meta({ description: 'id' }),
          b: z.string().meta({ description: 'id' }),
          comparable: z.int().meta({ description: 'k: of those, how many this pair is compared on' }),
          holm: z
            .number()
            .nullable()
            .meta({ description: "p by Holm's procedure over the pairs; `better` goes by it" }),
          sameComputation: z.boolean().meta({ description: 'one computation under two names' }),
          warnings: z.array(z.string()).meta({ description: 'what to keep in mind, in words' }),
        }).partial({ difference: true }),
      )
      .meta({ description: 'each two of them; without a difference where they have no dataset in common' }),
  })
  .meta({ id: 'ComparisonMatrix' });
export type CompareMatrixView = z.infer<typeof CompareMatrixView>;
