import { z } from 'zod';
import { DIRECTIONS, Estimate } from './metric.js';

const namedWeights = (what: string) =>
  z
    .string()
    .transform((text, context) => {
      const weights = new Map<string, number>();
      for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
        const [name = '', value = ''] = part.split(/:(?=[^:]*$)/).map((piece) => piece.trim());
        const weight = value === '' ? Number.NaN : Number(value);
        if (name === '' || !Number.isFinite(weight) || weight < 0) {
          context.addIssue({
            code: 'custom',
            message: `${what} "${part}" is no name:weight with a weight of 0 or more`,
          });
          return z.NEVER;
        }
        weights.set(name, weight);
      }
      return Object.fromEntries(weights);
    })
    .pipe(z.record(z.string(), z.number()))
    .optional();

export const LeaderboardQuery = z
  .strictObject({
    weights: namedWeights('weight'),
    datasets: namedWeights('dataset weight'),
    asOf: z
      .string()
      .max(40)
      .optional()
      .meta({ description: 'v3: last revision of benchmark version 3; r17: revision 17; or a time' }),
    amrs: z.enum(['official', 'live']).default('official'),
    ownRounds: z.enum(['adjust', 'count']).optional(),
    limit: z.coerce.number().int().min(1).max(10_000).optional(),
    cursor: z.string().max(200).optional(),
  })
  .meta({ id: 'LeaderboardQuery' });
export type LeaderboardQuery = z.infer<typeof LeaderboardQuery>;

/** Weights and choices that differ from the task's own, as they are kept under a name. */
export const SavedWeighing = z
  .strictObject({
    weights: z.record(z.string(), z.number().nonnegative()).default({}),
    datasets: z.record(z.string(), z.number().nonnegative()).default({}),
    amrs: z.enum(['official', 'live']).default('official'),
    ownRounds: z.enum(['adjust', 'count']).optional(),
  })
  .meta({ id: 'SavedWeighing' });
export type SavedWeighing = z.infer<typeof SavedWeighing>;

export const ModelReference = z
  .object({ id: z.string(), name: z.string(), owner: z.string() })
  .meta({ id: 'ModelReference' });
export type ModelReference = z.infer<typeof ModelReference>;

const MetricValues = z.record(z.string(), Estimate);

export const LeaderboardRow = z
  .object({
    rank: z.int(),
    rankLow: z.int(),
    rankHigh: z.int(),
    tie: z.boolean().meta({ description: 'cannot be told apart from the row that heads its group' }),
    officialRank: z.int().nullable().meta({ description: "the rank with the task's own weights" }),
    model: ModelReference,
    dynascore: z.number(),
    metrics: MetricValues,
    datasets: z.record(z.string(), MetricValues),
  })
  .meta({ id: 'LeaderboardRow' });
export type LeaderboardRow = z.infer<typeof LeaderboardRow>;

export const LeaderboardView = z
  .object({
    task: z.string(),
    benchmarkVersion: z.int(),
    revision: z.int(),
    publishedAt: z.iso.datetime(),
    official: z.boolean().meta({ description: "true where the weights are the task's own" }),
    provisional: z.boolean().meta({ description: 'AMRS still moves: fewer than 10 models are ranked' }),
    degenerate: z.string().optional().meta({ description: 'why the Dynascore is the performance alone' }),
    metrics: z.array(
      z.object({
        name: z.string(),
        direction: z.enum(DIRECTIONS),
        unit: z.string(),
        weight: z.number(),
        amrs: z.number().nullable(),
      }),
    ),
    datasets: z.array(
      z.object({
        name: z.string(),
        version: z.int(),
        role: z.enum(['round', 'static']),
        round: z.int().optional(),
        examples: z.int(),
        weight: z.number(),
      }),
    ),
    rows: z.array(LeaderboardRow),
    references: z.array(
      z.object({
        name: z.enum(['majority', 'random', 'human']),
        metrics: MetricValues,
        datasets: z.record(z.string(), MetricValues),
      }),
    ),
    incomplete: z.array(
      z.object({
        model: ModelReference,
        missing: z.array(z.object({ dataset: z.string(), why: z.string() })),
      }),
    ),
    nextCursor: z.string().optional(),
  })
  .meta({ id: 'Leaderboard' });
export type LeaderboardView = z.infer<typeof LeaderboardView>;

export const LoopView = z
  .object({
    models: z.array(
      z.object({
        model: z.object({ id: z.string(), name: z.string() }),
        since: z.iso.datetime(),
        evidence: z.object({
          revision: z.int(),
          rank: z.int(),
          dynascore: z.number(),
          values: z.record(z.string(), z.number()),
          rule: z.string(),
        }),
      }),
    ),
    next: z.array(z.object({ model: z.object({ id: z.string(), name: z.string() }), why: z.string() })).optional(),
  })
  .meta({ id: 'Loop' });
export type LoopView = z.infer<typeof LoopView>;
