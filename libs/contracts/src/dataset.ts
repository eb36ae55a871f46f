import { z } from 'zod';
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
