import { z } from 'zod';

export const ActivateBenchmarkVersion = z
  .strictObject({
    datasets: z.array(z.string()).optional().meta({ description: 'Names of proposed datasets; default: all' }),
  })
  .meta({ id: 'ActivateBenchmarkVersion' });
export type ActivateBenchmarkVersion = z.infer<typeof ActivateBenchmarkVersion>;

export const BenchmarkVersionView = z
  .object({
    number: z.int().meta({ description: 'as in asOf=v3' }),
    createdAt: z.iso.datetime().nullable().meta({ description: 'null in a preview' }),
    datasets: z
      .array(
        z.object({
          name: z.string().meta({ description: 'of the dataset' }),
          version: z.int().meta({ description: 'number of its version' }),
          digest: z.string().meta({ description: 'sha256 of its bytes as they were put' }),
        }),
      )
      .meta({ description: 'what it stands on' }),
    evaluations: z.int().meta({ description: 'evaluations that this enqueues' }),
    rescored: z
      .int()
      .meta({ description: 'evaluations that are scored from stored predictions: their inputs stayed, no model runs' }),
    estimatedSeconds: z
      .number()
      .nullable()
      .meta({ description: 'by the throughput measured so far; null where unknown' }),
  })
  .meta({ id: 'BenchmarkVersion' });
export type BenchmarkVersionView = z.infer<typeof BenchmarkVersionView>;
