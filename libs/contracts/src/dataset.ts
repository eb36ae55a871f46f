import { z } from 'zod';
import { PERTURBATIONS } from './metric.js';
import { Slug } from './quantity.js';

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
      context.issues.push({ code: 'custom', path: ['round'], message: 'role=round needs round=N', input: round });
    }
    if (role !== 'round' && round !== undefined) {
      context.issues.push({ code: 'custom', path: ['round'], message: 'only role=round has a round', input: round });
    }
  })
  .meta({ id: 'PutDatasetQuery' });
export type PutDatasetQuery = z.infer<typeof PutDatasetQuery>;

/** What may change of a dataset without a new version of it. */
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
    digest: z.string(),
    examples: z.int(),
    status: z
      .enum(['active', 'proposed', 'retired'])
      .meta({ description: 'retired: these bytes are an older version, which another has replaced' }),
  })
  .meta({ id: 'DatasetPut' });
export type DatasetPut = z.infer<typeof DatasetPut>;

export const PerturbationName = z.enum(PERTURBATIONS);

/** A perturbed version of a dataset, as its figures tell it. */
export const PerturbedVersionView = z
  .object({
    dataset: z.string().meta({ description: 'what was perturbed' }),
    perturbation: PerturbationName,
    version: z.int().meta({ description: 'number of the perturbed version' }),
    digest: z.string().meta({ description: 'sha256 that names it' }),
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
