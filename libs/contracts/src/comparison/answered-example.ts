import { z } from 'zod';
import { PERTURBATIONS } from '../metrics/metric.js';

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
  .meta({ description: 'field:value of a slice, such as genre:fiction: its examples alone' });
const limit = z.coerce
  .number()
  .int()
  .min(1)
  .max(ANSWERED_EXAMPLES.most)
  .default(ANSWERED_EXAMPLES.usual)
  .meta({ description: 'examples on a page' });
const cursor = z
  .string()
  .regex(/^\d{1,15}$/, 'invalid cursor')
  .optional()
  .meta({ description: '`nextCursor` of the page before' });

export const PerturbationQuery = z.strictObject({
  perturbation: z
    .enum(PERTURBATIONS)
    .optional()
    .meta({ description: 'of its perturbed version, instead of the dataset itself' }),
});
export type PerturbationQuery = z.infer<typeof PerturbationQuery>;

export const AnsweredExamplesQuery = PerturbationQuery.extend({
  outcome: z
    .enum(['right', 'wrong', 'all'])
    .default('all')
    .meta({ description: 'wrong: the errors of the model; right: what it answered right' }),
  slice,
  label: z.string().max(500).optional().meta({ description: 'of a label task: examples whose gold it is' }),
  answer: z.string().max(500).optional().meta({ description: 'of a label task: examples that were answered so' }),
  limit,
  cursor,
}).meta({ id: 'AnsweredExamplesQuery' });
export type AnsweredExamplesQuery = z.infer<typeof AnsweredExamplesQuery>;

export const ComparedExamplesQuery = z
  .strictObject({
    a: z.string().trim().min(1).max(200).meta({ description: 'a model, by its id or its name' }),
    b: z.string().trim().min(1).max(200).meta({ description: 'the other one' }),
    dataset: z.string().max(80).meta({ description: 'whose examples' }),
    only: z.enum(['a', 'b', 'both_wrong']).optional().meta({
      description: 'a: only a is right; b: only b is; both_wrong: neither; default: exactly one of them is right',
    }),
    slice,
    asOf: z
      .string()
      .max(40)
      .optional()
      .meta({ description: 'v3: on the dataset versions of benchmark version 3; default: on those in force' }),
    limit,
    cursor,
  })
  .meta({ id: 'ComparedExamplesQuery' });
export type ComparedExamplesQuery = z.infer<typeof ComparedExamplesQuery>;

const Right = z
  .boolean()
  .nullable()
  .meta({ description: 'null: an output that is a number is neither right nor wrong' });

const GivenAnswer = z.object({
  answer: z.string().nullable().meta({ description: 'null: a bad answer that the task tolerated' }),
  right: Right,
  score: z
    .number()
    .optional()
    .meta({ description: "the task's performance metric on this example alone, where it is a mean over examples" }),
  probabilities: z
    .record(z.string(), z.number())
    .optional()
    .meta({ description: 'by label, where the model gave them' }),
});

const ShownExample = z.object({
  id: z.string().meta({ description: 'of the example in its dataset' }),
  inputs: z.record(z.string(), z.unknown()).meta({ description: 'what the model saw' }),
  gold: z.array(z.string()).meta({ description: 'the right answer, or any of several' }),
  slices: z.record(z.string(), z.array(z.string())).meta({ description: 'by slicing field, its values' }),
  variant: z
    .object({
      original: z.string().meta({ description: 'id of the example that it was made of' }),
      transform: z.string().meta({ description: 'by what' }),
    })
    .optional()
    .meta({ description: 'of a perturbed example' }),
});

export const AnsweredExample = ShownExample.extend(GivenAnswer.shape).meta({ id: 'AnsweredExample' });
export type AnsweredExample = z.infer<typeof AnsweredExample>;

const Counted = z.object({
  n: z.int().meta({ description: 'examples' }),
  wrong: z.int().nullable().meta({ description: 'of those, answered wrong; null: neither right nor wrong' }),
});

const Counts = z.object({
  n: z.int().meta({ description: 'examples of the dataset' }),
  wrong: z.int().nullable().meta({ description: 'of those, answered wrong; null: neither right nor wrong' }),
  invalid: z.int().meta({ description: 'of those, bad answers that the task tolerated; they count as wrong' }),
  slices: z
    .record(z.string(), z.record(z.string(), Counted))
    .meta({ description: 'by field and value, the largest 200 of a field first' }),
  labels: z.record(z.string(), Counted).optional().meta({ description: 'of a label task: by gold label' }),
  answers: z.record(z.string(), Counted).optional().meta({ description: 'of a label task: by answered label' }),
});

const page = {
  dataset: z.string().meta({ description: 'its name' }),
  version: z.int().meta({ description: 'number of the version; of a perturbed one that of its original' }),
  perturbation: z.enum(PERTURBATIONS).optional().meta({ description: 'the examples are perturbed versions' }),
  metric: z.string().nullable().meta({ description: 'what says which answers are right; null: nothing does' }),
  matching: z.int().meta({ description: 'examples that the question fits, on all pages' }),
  nextCursor: z.string().optional().meta({ description: '`cursor` of the next page; none: this was the last' }),
};

export const AnsweredExamples = z
  .object({
    ...page,
    counts: Counts.meta({ description: 'of the whole dataset, whatever was asked for' }),
    items: z.array(AnsweredExample).meta({ description: "in the dataset's order" }),
  })
  .meta({ id: 'AnsweredExamples' });
export type AnsweredExamples = z.infer<typeof AnsweredExamples>;

export const ComparedExample = ShownExample.extend({
  a: GivenAnswer.meta({ description: 'what a answered' }),
  b: GivenAnswer.meta({ description: 'what b answered' }),
}).meta({ id: 'ComparedExample' });

export const ComparedExamples = z
  .object({
    ...page,
    counts: z
      .object({
        a: z.int().meta({ description: 'only a is right' }),
        b: z.int().meta({ description: 'only b is right' }),
        bothRight: z.int().meta({ description: 'both are right' }),
        bothWrong: z.int().meta({ description: 'neither is right' }),
      })
      .meta({ description: 'of the whole dataset, whatever was asked for' }),
    items: z.array(ComparedExample).meta({ description: "in the dataset's order" }),
  })
  .meta({ id: 'ComparedExamples' });
export type ComparedExamples = z.infer<typeof ComparedExamples>;

export const ConfusionView = z
  .object({
    dataset: page.dataset,
    version: page.version,
    perturbation: page.perturbation,
    n: z.int().meta({ description: 'examples' }),
    labels: z.array(z.string()).meta({ description: 'of the task, in its order: the rows and the columns' }),
    counts: z.array(z.array(z.int().nullable())).meta({
      description:
        'a row for each gold label, a column for each answered one, and a last column of bad answers that the task tolerated. ' +
        'Of several acceptable gold labels the one that was answered counts, else the first. ' +
        'null: fewer than 10, which are shown for public datasets and to the owner of the task only',
    }),
  })
  .meta({ id: 'Confusion' });
export type ConfusionView = z.infer<typeof ConfusionView>;
