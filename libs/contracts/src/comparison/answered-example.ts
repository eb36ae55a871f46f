import { z } from 'zod';
import { PERTURBATIONS } from '../metrics/metric.js';
import { namedObject, namedStrictObject } from '../named-object.js';

/** Examples per page: the default and the maximum. */
export const ANSWERED_EXAMPLES = { usual: 20, most: 100 } as const;

const slice = z
  .string()
  .max(500)
  .regex(/^[^:]+:.+$/s, 'is not of the form field:value')
  .transform((text) => {
    const colon = text.indexOf(':');
    return { field: text.slice(0, colon), value: text.slice(colon + 1) };
  })
  .optional()
  .describe('field:value of a slice, such as genre:fiction: its examples alone');
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(ANSWERED_EXAMPLES.most)
  .default(ANSWERED_EXAMPLES.usual)
  .describe('examples on a page');
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'invalid cursor')
  .optional()
  .describe('`nextCursor` of the page before');

export const PerturbationQuery = z.strictObject({
  perturbation: z.enum(PERTURBATIONS).optional().describe('of its perturbed version, instead of the dataset itself'),
});
export type PerturbationQuery = z.infer<typeof PerturbationQuery>;

export const AnsweredExamplesQuery = PerturbationQuery.extend({
  outcome: z
    .enum(['right', 'wrong', 'all'])
    .default('all')
    .describe('wrong: the errors of the model; right: what it answered right'),
  slice,
  label: z.string().max(500).optional().describe('of a label task: examples whose gold it is'),
  answer: z.string().max(500).optional().describe('of a label task: examples that were answered so'),
  limit,
  cursor,
}).meta({ id: 'AnsweredExamplesQuery' });
export type AnsweredExamplesQuery = z.infer<typeof AnsweredExamplesQuery>;

export const ComparedExamplesQuery = namedStrictObject('ComparedExamplesQuery', {
  a: z.string().trim().min(1).max(200).describe('a model, by its id or its name'),
  b: z.string().trim().min(1).max(200).describe('the other one'),
  dataset: z.string().max(80).describe('whose examples'),
  only: z
    .enum(['a', 'b', 'both_wrong'])
    .optional()
    .describe('a: only a is right; b: only b is; both_wrong: neither; default: exactly one of them is right'),
  slice,
  asOf: z
    .string()
    .max(40)
    .optional()
    .describe('v3: on the dataset versions of benchmark version 3; default: on those in force'),
  limit,
  cursor,
});
export type ComparedExamplesQuery = z.infer<typeof ComparedExamplesQuery>;

const Right = z.boolean().nullable().describe('null: an output that is a number is neither right nor wrong');

const GivenAnswer = z.object({
  answer: z.string().nullable().describe('null: a bad answer that the task tolerated'),
  right: Right,
  score: z
    .number()
    .optional()
    .describe("the task's performance metric on this example alone, where it is a mean over examples"),
  probabilities: z.record(z.string(), z.number()).optional().describe('by label, where the model gave them'),
});

const ShownExample = z.object({
  id: z.string().describe('of the example in its dataset'),
  inputs: z.record(z.string(), z.unknown()).describe('what the model saw'),
  gold: z.array(z.string()).describe('the right answer, or any of several'),
  slices: z.record(z.string(), z.array(z.string())).describe('by slicing field, its values'),
  variant: z
    .object({
      original: z.string().describe('id of the example that it was made of'),
      transform: z.string().describe('by what'),
    })
    .optional()
    .describe('of a perturbed example'),
});

export const AnsweredExample = ShownExample.extend(GivenAnswer.shape).meta({ id: 'AnsweredExample' });
export type AnsweredExample = z.infer<typeof AnsweredExample>;

const Counted = z.object({
  n: z.int().describe('examples'),
  wrong: z.int().nullable().describe('of those, answered wrong; null: neither right nor wrong'),
});

const Counts = z.object({
  n: z.int().describe('examples of the dataset'),
  wrong: z.int().nullable().describe('of those, answered wrong; null: neither right nor wrong'),
  invalid: z.int().describe('of those, bad answers that the task tolerated; they count as wrong'),
  slices: z
    .record(z.string(), z.record(z.string(), Counted))
    .describe('by field and value, the largest 200 of a field first'),
  labels: z.record(z.string(), Counted).optional().describe('of a label task: by gold label'),
  answers: z.record(z.string(), Counted).optional().describe('of a label task: by answered label'),
});

const page = {
  dataset: z.string().describe('its name'),
  version: z.int().describe('number of the version; of a perturbed one that of its original'),
  perturbation: z.enum(PERTURBATIONS).optional().describe('the examples are perturbed versions'),
  metric: z.string().nullable().describe('what says which answers are right; null: nothing does'),
  matching: z.int().describe('examples that the question fits, on all pages'),
  nextCursor: z.string().optional().describe('`cursor` of the next page; none: this was the last'),
};

export const AnsweredExamples = namedObject('AnsweredExamples', {
  ...page,
  counts: Counts.describe('of the whole dataset, whatever was asked for'),
  items: z.array(AnsweredExample).describe("in the dataset's order"),
});
export type AnsweredExamples = z.infer<typeof AnsweredExamples>;

export const ComparedExample = ShownExample.extend({
  a: GivenAnswer.describe('what a answered'),
  b: GivenAnswer.describe('what b answered'),
}).meta({ id: 'ComparedExample' });

export const ComparedExamples = namedObject('ComparedExamples', {
  ...page,
  counts: z
    .object({
      a: z.int().describe('only a is right'),
      b: z.int().describe('only b is right'),
      bothRight: z.int().describe('both are right'),
      bothWrong: z.int().describe('neither is right'),
    })
    .describe('of the whole dataset, whatever was asked for'),
  items: z.array(ComparedExample).describe("in the dataset's order"),
});
export type ComparedExamples = z.infer<typeof ComparedExamples>;

export const ConfusionView = namedObject('Confusion', {
  dataset: page.dataset,
  version: page.version,
  perturbation: page.perturbation,
  n: z.int().describe('examples'),
  labels: z.array(z.string()).describe('of the task, in its order: the rows and the columns'),
  counts: z
    .array(z.array(z.int().nullable()))
    .describe(
      'a row for each gold label, a column for each answered one, and a last column of bad answers that the task tolerated. ' +
        'Of several acceptable gold labels the one that was answered counts, else the first. ' +
        'null: fewer than 10, which are shown for public datasets and to the owner of the task only',
    ),
});
export type ConfusionView = z.infer<typeof ConfusionView>;
