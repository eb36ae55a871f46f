import { z } from 'zod';
import { EXPOSURES, ModelReference } from '../boards/leaderboard.js';
import { DIRECTIONS, Estimate, PERTURBATIONS, ShownDisclosure } from '../metrics/metric.js';
import { ModelKind } from '../models/model.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { QueryFlag } from '../text/quantity.js';

/** The largest number of models in one comparison. */
export const MOST_COMPARED = 20;

const model = (description: string) => z.string().trim().min(1).max(200).optional().describe(description);

export const CompareQuery = namedStrictObject('CompareQuery', {
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
    .describe(`instead of a and b: 2 to ${MOST_COMPARED} models, by ids or names; gives all pairs`),
  asOf: z
    .string()
    .max(40)
    .optional()
    .describe('v3: on the dataset versions of benchmark version 3; default: on those in force'),
  examples: QueryFlag.optional().describe(
    'also the examples of `dataset` of which exactly one model has answered right',
  ),
  dataset: z.string().max(80).optional().describe('with examples'),
  limit: z.coerce.number().int().min(1).max(200).optional().describe('of examples; default: 50'),
  cursor: z.string().max(200).optional(),
});
export type CompareQuery = z.infer<typeof CompareQuery>;

/** The statistical tests of whether a difference is due to chance alone. */
export const COMPARISON_TESTS = [
  'mcnemar-mid-p',
  'sign-flips',
  'swaps',
  'clustered-t',
  'bootstrap',
  'unpaired',
] as const;

const Side = z.enum(['a', 'b']);

export const Difference = namedObject('Difference', {
  difference: Estimate.describe('a minus b, on the same examples'),
  p: z
    .number()
    .nullable()
    .describe('how often chance alone gives a difference at least as large; null where the data cannot say'),
  holm: z
    .number()
    .nullable()
    .describe(
      "p corrected by Holm's procedure over all differences of the comparison (metrics and datasets; in a matrix the pairs), without slices",
    ),
  better: Side.nullable().describe(
    'the model that is significantly better: `holm` is below 0.05 and the interval excludes 0; null: no significant difference',
  ),
});
export type Difference = z.infer<typeof Difference>;

export const MetricComparison = Difference.extend({
  a: Estimate.describe('what a has'),
  b: Estimate.describe('what b has'),
  test: z
    .enum(COMPARISON_TESTS)
    .describe(
      "mcnemar-mid-p: exact; sign-flips: of whole clusters; swaps: of the models' answers, in whole clusters; clustered-t: the t test over clusters, " +
        'where fewer than 10 draws are extreme; bootstrap: by the standard error of joint resamples; unpaired: from two rounded scores and their ' +
        'intervals, as if both models had answered different examples',
    ),
  discordant: z
    .object({ a: z.int().describe('by a alone'), b: z.int().describe('by b alone') })
    .optional()
    .describe('examples that only one of both has answered right: all that the difference is made of'),
  detectable: z
    .number()
    .nullable()
    .describe('the smallest difference that this many examples detect in 4 of 5 cases, in the unit of the metric'),
}).meta({ id: 'MetricComparison' });
export type MetricComparison = z.infer<typeof MetricComparison>;

export const SliceComparison = namedObject('SliceComparison', {
  n: z.int().describe('examples in the slice'),
  metrics: z
    .record(
      z.string(),
      MetricComparison.omit({ holm: true }).extend({
        better: Side.nullable().describe(
          'the model that is better where the difference stands out and its interval excludes 0; null: no significant difference',
        ),
        standsOut: z
          .boolean()
          .describe(
            "the difference survives Benjamini and Hochberg's procedure at 5 percent over the slices of the field",
          ),
      }),
    )
    .describe('by metric, on these examples alone'),
});
export type SliceComparison = z.infer<typeof SliceComparison>;

export const ComparedModel = ModelReference.extend({
  kind: ModelKind.describe('container and onnx ran here; predictions were uploaded'),
}).meta({ id: 'ComparedModel' });
export type ComparedModel = z.infer<typeof ComparedModel>;

const Sides = <T extends z.ZodType>(of: T) => z.object({ a: of, b: of });

export const DatasetComparison = namedObject('DatasetComparison', {
  dataset: z.string().describe('its name'),
  version: z.int().describe('its version that both models answered'),
  round: z.int().optional().describe('number of the round that it is of'),
  use: z.enum(['scoring', 'reporting']).describe('whether it ranks, or is for looking alone'),
  perturbation: z
    .enum(PERTURBATIONS)
    .optional()
    .describe('the examples are perturbed versions of those of the dataset'),
  n: z.int().describe('examples; of a perturbed version its originals'),
  weight: z
    .number()
    .describe(
      'as the board weighs it; what was collected against one of the two is left out of the overall difference all the same',
    ),
  exposure: Sides(z.enum(EXPOSURES).describe('of this model')).describe(
    'clean where the model was submitted before any of the data was public',
  ),
  own: Sides(z.boolean().describe('of this model')).describe('the dataset was collected against this model'),
  warnings: z.array(z.string()).describe('what to keep in mind, in words'),
  metrics: z.record(z.string(), MetricComparison).describe('by metric'),
  slices: z
    .record(z.string(), z.record(z.string(), SliceComparison))
    .describe('by field and value: slices of at least 30 examples'),
});
export type DatasetComparison = z.infer<typeof DatasetComparison>;

const MissingDataset = z.object({
  dataset: z.string().describe('its name'),
  version: z.int().describe('number of the version'),
  perturbation: z.enum(PERTURBATIONS).optional().describe('it is the perturbed version that is missing'),
  why: z.string().describe('in words'),
});

const Overall = z.object({
  comparable: z.int().describe('k: dataset versions of those in force that the difference is made of'),
  of: z.int().describe('m: dataset versions in force that rank'),
  metrics: z
    .record(z.string(), Difference)
    .describe('the difference weighted over the datasets as the board weighs them'),
  missing: z.array(MissingDataset).describe('dataset versions that are not compared, or do not count'),
});

const ComparedCost = z.object({
  unit: z.string().describe('of the cost'),
  direction: z.enum(DIRECTIONS).describe('which values are better'),
  a: z.number().nullable().describe('mean over its datasets, as the board weighs them; null: not measured'),
  b: z.number().nullable().describe('the same of b'),
  difference: z.number().nullable().describe('null where the hardware classes differ'),
  contended: Sides(z.boolean().describe('of this model'))
    .optional()
    .describe('some of it was measured while something else used the host; absent where none was'),
  short: Sides(z.boolean().describe('of this model'))
    .optional()
    .describe('some of it was measured on few examples; absent where none was'),
});

export const ExampleDifference = namedObject('ExampleDifference', {
  id: z.string().describe('of the example in its dataset'),
  inputs: z.record(z.string(), z.unknown()).describe('what both models saw'),
  gold: z.array(z.string()).describe('the right answer, or any of several'),
  right: Side.describe('which model has answered right'),
  ...Sides(
    z
      .object({
        answer: z.string().nullable().describe('null: a bad answer that the task tolerated'),
        probabilities: z.record(z.string(), z.number()).optional().describe('by label, where the model gave them'),
      })
      .describe('what the model answered'),
  ).shape,
});
export type ExampleDifference = z.infer<typeof ExampleDifference>;

export const ExampleDifferences = namedObject('ExampleDifferences', {
  dataset: z.string().describe('its name'),
  version: z.int().describe('number of the version'),
  metric: z.string().describe('what says which answers are right'),
  items: z.array(ExampleDifference).describe("in the dataset's order"),
  nextCursor: z.string().optional().describe('`cursor` of the next page; none: this was the last'),
});
export type ExampleDifferences = z.infer<typeof ExampleDifferences>;

export const CompareView = namedObject('Comparison', {
  task: z.string().describe('its slug'),
  benchmarkVersion: z.int().describe('whose dataset versions are compared on'),
  performance: z.string().describe("the task's performance metric"),
  metrics: z
    .array(
      z.object({
        name: z.string().describe('such as accuracy'),
        unit: z.string().describe('ratio: shown in percent'),
        direction: z.enum(DIRECTIONS).describe('which values are better'),
      }),
    )
    .describe('what is compared'),
  a: ComparedModel.describe('the first model'),
  b: ComparedModel.describe('the second one'),
  disclosure: ShownDisclosure,
  sameComputation: z
    .boolean()
    .describe('both have the same run specification: they are one computation under two names'),
  warnings: z.array(z.string()).describe('what to keep in mind, in words'),
  overall: Overall.describe('over all datasets that count'),
  decision: z
    .string()
    .nullable()
    .describe(
      "the board's decision on the two models in one sentence, where it differs from the test of their performance; null: it does not differ, or the board does not rank both",
    ),
  datasets: z.array(DatasetComparison).describe('each by itself, perturbed versions too'),
  costs: z
    .object({
      hardware: Sides(z.array(z.string()).describe('of this model')).describe(
        'hardware classes that the costs were measured on',
      ),
      comparable: z.boolean().describe('both were measured on one and the same class'),
      metrics: z.record(z.string(), ComparedCost).describe('by cost'),
    })
    .describe('what both cost, side by side'),
  examples: ExampleDifferences.optional().describe('with examples: those that tell both apart'),
});
export type CompareView = z.infer<typeof CompareView>;

export const CompareMatrixView = namedObject('ComparisonMatrix', {
  task: z.string().describe('its slug'),
  benchmarkVersion: z.int().describe('whose dataset versions are compared on'),
  performance: z.string().describe('the metric that is compared'),
  disclosure: ShownDisclosure,
  models: z.array(ComparedModel).describe('in the order of the request'),
  of: z.int().describe('m: dataset versions in force that rank'),
  pairs: z
    .array(
      Difference.extend({
        a: z.string().describe('id'),
        b: z.string().describe('id'),
        comparable: z.int().describe('k: of those, how many this pair is compared on'),
        sameComputation: z.boolean().describe('one computation under two names'),
        warnings: z.array(z.string()).describe('what to keep in mind, in words'),
      }).partial({ difference: true }),
    )
    .describe('each two of them; without a difference where they have no dataset in common'),
});
export type CompareMatrixView = z.infer<typeof CompareMatrixView>;
