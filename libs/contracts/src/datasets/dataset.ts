import { z } from 'zod';
import { GivenHumanFigures } from '../facts/human.js';
import { PERTURBATIONS } from '../metrics/metric.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';
import { Slug } from '../text/quantity.js';
import { TaskWarning } from '../tasks/task-warning.js';

export const DatasetRole = z.enum(['round', 'static']);
export const DatasetUse = z.enum(['scoring', 'reporting']);
export const Visibility = z.enum(['hidden', 'inputs', 'public']);
export type DatasetRole = z.infer<typeof DatasetRole>;
export type DatasetUse = z.infer<typeof DatasetUse>;
export type Visibility = z.infer<typeof Visibility>;

export const DatasetName = Slug;

export const PutDatasetQuery = z
  .strictObject({
    role: DatasetRole.optional().describe('of a new dataset; default: static'),
    round: z.coerce.number().int().positive().max(1_000_000).optional().describe('with role=round'),
    use: DatasetUse.optional().describe('of a new dataset; default: scoring, which ranks'),
    visibility: Visibility.optional().describe('default: as it is; of a new dataset hidden'),
  })
  .check((context) => {
    const { role, round } = context.value;
    if (role === 'round' && round === undefined) {
      context.issues.push({ code: 'custom', path: ['round'], message: 'is required with role=round', input: round });
    }
    if (role !== 'round' && round !== undefined) {
      context.issues.push({ code: 'custom', path: ['round'], message: 'requires role=round', input: round });
    }
  })
  .meta({ id: 'PutDatasetQuery' });
export type PutDatasetQuery = z.infer<typeof PutDatasetQuery>;

/** The properties of a dataset that can change without a new version. */
export const PatchDataset = namedStrictObject('PatchDataset', {
  visibility: Visibility.optional(),
  against: z
    .array(z.string().max(100))
    .max(1000)
    .optional()
    .describe('ids of the models that its examples were collected against'),
  publicSince: z.iso
    .datetime({ offset: true })
    .nullable()
    .optional()
    .describe('when any of its content could first be read by anybody; by default when it ceased to be hidden'),
  inputsUntil: z.iso
    .datetime({ offset: true })
    .nullable()
    .optional()
    .describe(
      'until when the submitters that the task lists may read the ids and inputs of this hidden dataset; null: not any more',
    ),
  human: GivenHumanFigures.nullable()
    .optional()
    .describe('human performance on the newest version, from a publication; null: remove it'),
});
export type PatchDataset = z.infer<typeof PatchDataset>;

const SAME_INPUTS = {
  examples: z.int().describe('examples with the same inputs as another example'),
  conflicting: z.int().describe('of those, the ones with other gold than that example'),
  first: z
    .array(
      z.object({
        id: z.string().describe('of one example'),
        other: z.string().describe('of the other example'),
        gold: z.array(z.string()).optional().describe('of the first one, if the gold differs'),
        otherGold: z.array(z.string()).optional().describe('of the other one, if the gold differs'),
      }),
    )
    .describe('the first 20 pairs, those with other gold before the rest'),
};

/** The examples of an upload whose inputs occur more than once in the task. */
const DuplicateInputs = namedObject('DuplicateInputs', {
  ...SAME_INPUTS,
  elsewhere: z
    .array(
      z.object({
        dataset: z.string().describe('name of another dataset of the task'),
        version: z.int().describe('number of its newest version'),
        ...SAME_INPUTS,
      }),
    )
    .describe('other datasets, from rounds and static ones, that have some of the inputs'),
  sentences: z.array(z.string()).describe('the same in words'),
});

export const DatasetPut = namedObject('DatasetPut', {
  name: z.string(),
  version: z.int(),
  ...PUBLISHED_DIGEST,
  examples: z.int(),
  status: z
    .enum(['active', 'proposed', 'retired'])
    .describe('retired: these bytes are an older version, which another has replaced'),
  warnings: z.array(TaskWarning).describe('what to change about the hidden data of the task'),
  duplicates: DuplicateInputs.describe(
    'identical inputs within the dataset and in others of the task; gold is compared for the first 100,000 distinct inputs',
  ),
});
export type DatasetPut = z.infer<typeof DatasetPut>;

/** The largest numbers of problems and of examples in the result of a dataset check. */
export const MOST_DATASET_PROBLEMS = 100;
export const SHOWN_EXAMPLES = 20;

/** The findings about a dataset that is not stored (yet). */
export const DatasetCheck = namedObject('DatasetCheck', {
  valid: z.boolean().describe('whether it could be put as it is'),
  digest: z.string().nullable().describe('sha256 of its bytes; null where they could not all be read'),
  sameAs: z.int().nullable().describe('number of the version of this dataset with the same bytes'),
  examples: z.int().describe('lines that are an example of the task'),
  problems: z
    .array(
      z.object({
        line: z.int().nullable().describe('of the file, from 1; of the question in SQuAD JSON; null: all'),
        message: z.string().describe('what is wrong there'),
      }),
    )
    .describe(`the first ${MOST_DATASET_PROBLEMS}`),
  allProblems: z.int().describe('how many there are'),
  warnings: z.array(z.string()).describe('what can be kept, and may not be meant, in words'),
  duplicates: DuplicateInputs.describe('identical inputs within the dataset and in others of the task'),
  fields: z
    .array(
      z.object({
        name: z.string().describe('of the field'),
        use: z
          .enum(['input', 'gold', 'id', 'slice', 'cluster', 'match', 'other'])
          .describe('what the task takes it for; other: it is kept, and no model sees it'),
        examples: z.int().describe('examples that have it'),
        values: z
          .record(z.string(), z.int())
          .optional()
          .describe('by value, how many have it, where these are at most 50 short ones'),
      }),
    )
    .describe('that examples have, the first 200'),
  labels: z
    .record(z.string(), z.int())
    .optional()
    .describe('of a label task: how often each is the gold, of several acceptable ones the first'),
  first: z
    .array(
      z.object({
        line: z.int().describe('where it stands'),
        id: z.string().describe('its own, or the number of its line'),
        gold: z.array(z.string()).describe('the right answer, or any of several'),
        fields: z.record(z.string(), z.unknown()).describe('as they stand there, long texts cut'),
      }),
    )
    .describe(`the first ${SHOWN_EXAMPLES} examples`),
});
export type DatasetCheck = z.infer<typeof DatasetCheck>;

export const PerturbationName = z.enum(PERTURBATIONS);

/** A perturbed version of a dataset, as its published figures describe it. */
export const PerturbedVersionView = namedObject('PerturbedVersion', {
  dataset: z.string().describe('what was perturbed'),
  perturbation: PerturbationName,
  version: z.int().describe('number of the perturbed version'),
  ...PUBLISHED_DIGEST,
  examples: z.int().describe('variants'),
  status: z.enum(['active', 'proposed', 'retired']).describe('as its original'),
  own: z.boolean().describe("pairs of the owner's, instead of generated ones"),
  transforms: z.array(
    z.object({
      name: z.string().describe('such as typos; own: pairs of the owner'),
      version: z.int().describe('of the transform'),
      variants: z.int().describe('examples that it changed'),
      validated: z.int().describe('variants that people have looked at'),
      kept: z.int().describe('of those, how many kept their label'),
      ranks: z.boolean().describe('false where fewer than 95 percent of the labels were kept'),
    }),
  ),
});
export type PerturbedVersionView = z.infer<typeof PerturbedVersionView>;

export const PerturbedVersionList = namedObject('PerturbedVersionList', { items: z.array(PerturbedVersionView) });
export type PerturbedVersionList = z.infer<typeof PerturbedVersionList>;
