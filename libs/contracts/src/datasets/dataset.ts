import { z } from 'zod';
import { PERTURBATIONS } from '../metrics/metric.js';
import { PUBLISHED_DIGEST } from '../results/published-digest.js';
import { Slug } from '../text/quantity.js';

export const DatasetRole = z.enum(['round', 'static']);
export const DatasetUse = z.enum(['scoring', 'reporting']);
export const Visibility = z.enum(['hidden', 'inputs', 'public']);
export type DatasetRole = z.infer<typeof DatasetRole>;
export type DatasetUse = z.infer<typeof DatasetUse>;
export type Visibility = z.infer<typeof Visibility>;

export const DatasetName = Slug;

export const PutDatasetQuery = z
  .strictObject({
    role: DatasetRole.optional().meta({ description: 'of a new dataset; default: static' }),
    round: z.coerce.number().int().positive().max(1_000_000).optional().meta({ description: 'with role=round' }),
    use: DatasetUse.optional().meta({ description: 'of a new dataset; default: scoring, which ranks' }),
    visibility: Visibility.optional().meta({ description: 'default: as it is; of a new dataset hidden' }),
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
export const PatchDataset = z
  .strictObject({
    visibility: Visibility.optional(),
    against: z
      .array(z.string().max(100))
      .max(1000)
      .optional()
      .meta({ description: 'ids of the models that its examples were collected against' }),
    publicSince: z.iso.datetime({ offset: true }).nullable().optional().meta({
      description: 'when any of its content could first be read by anybody; by default when it ceased to be hidden',
    }),
  })
  .meta({ id: 'PatchDataset' });
export type PatchDataset = z.infer<typeof PatchDataset>;

export const DatasetPut = z
  .object({
    name: z.string(),
    version: z.int(),
    ...PUBLISHED_DIGEST,
    examples: z.int(),
    status: z
      .enum(['active', 'proposed', 'retired'])
      .meta({ description: 'retired: these bytes are an older version, which another has replaced' }),
  })
  .meta({ id: 'DatasetPut' });
export type DatasetPut = z.infer<typeof DatasetPut>;

/** The largest numbers of problems and of examples in the result of a dataset check. */
export const MOST_DATASET_PROBLEMS = 100;
export const SHOWN_EXAMPLES = 20;

/** The findings about a dataset that is not stored (yet). */
export const DatasetCheck = z
  .object({
    valid: z.boolean().meta({ description: 'whether it could be put as it is' }),
    digest: z.string().nullable().meta({ description: 'sha256 of its bytes; null where they could not all be read' }),
    sameAs: z.int().nullable().meta({ description: 'number of the version of this dataset with the same bytes' }),
    examples: z.int().meta({ description: 'lines that are an example of the task' }),
    problems: z
      .array(
        z.object({
          line: z
            .int()
            .nullable()
            .meta({ description: 'of the file, from 1; of the question in SQuAD JSON; null: all' }),
          message: z.string().meta({ description: 'what is wrong there' }),
        }),
      )
      .meta({ description: `the first ${MOST_DATASET_PROBLEMS}` }),
    allProblems: z.int().meta({ description: 'how many there are' }),
    warnings: z.array(z.string()).meta({ description: 'what can be kept, and may not be meant, in words' }),
    fields: z
      .array(
        z.object({
          name: z.string().meta({ description: 'of the field' }),
          use: z.enum(['input', 'gold', 'id', 'slice', 'cluster', 'match', 'other']).meta({
            description: 'what the task takes it for; other: it is kept, and no model sees it',
          }),
          examples: z.int().meta({ description: 'examples that have it' }),
          values: z.record(z.string(), z.int()).optional().meta({
            description: 'by value, how many have it, where these are at most 50 short ones',
          }),
        }),
      )
      .meta({ description: 'that examples have, the first 200' }),
    labels: z
      .record(z.string(), z.int())
      .optional()
      .meta({ description: 'of a label task: how often each is the gold, of several acceptable ones the first' }),
    first: z
      .array(
        z.object({
          line: z.int().meta({ description: 'where it stands' }),
          id: z.string().meta({ description: 'its own, or the number of its line' }),
          gold: z.array(z.string()).meta({ description: 'the right answer, or any of several' }),
          fields: z.record(z.string(), z.unknown()).meta({ description: 'as they stand there, long texts cut' }),
        }),
      )
      .meta({ description: `the first ${SHOWN_EXAMPLES} examples` }),
  })
  .meta({ id: 'DatasetCheck' });
export type DatasetCheck = z.infer<typeof DatasetCheck>;

export const PerturbationName = z.enum(PERTURBATIONS);

/** A perturbed version of a dataset, as its published figures describe it. */
export const PerturbedVersionView = z
  .object({
    dataset: z.string().meta({ description: 'what was perturbed' }),
    perturbation: PerturbationName,
    version: z.int().meta({ description: 'number of the perturbed version' }),
    ...PUBLISHED_DIGEST,
    examples: z.int().meta({ description: 'variants' }),
    status: z.enum(['active', 'proposed', 'retired']).meta({ description: 'as its original' }),
    own: z.boolean().meta({ description: "pairs of the owner's, instead of generated ones" }),
    transforms: z.array(
      z.object({
        name: z.string().meta({ description: 'such as typos; own: pairs of the owner' }),
        version: z.int().meta({ description: 'of the transform' }),
        variants: z.int().meta({ description: 'examples that it changed' }),
        validated: z.int().meta({ description: 'variants that people have looked at' }),
        kept: z.int().meta({ description: 'of those, how many kept their label' }),
        ranks: z.boolean().meta({ description: 'false where fewer than 95 percent of the labels were kept' }),
      }),
    ),
  })
  .meta({ id: 'PerturbedVersion' });
export type PerturbedVersionView = z.infer<typeof PerturbedVersionView>;

export const PerturbedVersionList = z
  .object({ items: z.array(PerturbedVersionView) })
  .meta({ id: 'PerturbedVersionList' });
export type PerturbedVersionList = z.infer<typeof PerturbedVersionList>;
