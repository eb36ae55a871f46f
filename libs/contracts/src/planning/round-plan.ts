import { z } from 'zod';
import { ModelReference } from '../boards/leaderboard.js';
import { ShownDisclosure } from '../metrics/metric.js';
import { namedObject, namedStrictObject } from '../named-object.js';

/** The difference to detect if none is given, in points. */
const USUAL_POINTS = 2;

export const PlanQuery = namedStrictObject('PlanQuery', {
  detect: z.coerce
    .number()
    .positive()
    .max(1e6)
    .default(USUAL_POINTS)
    .describe(
      'true difference in performance that the next round should detect: in points (hundredths) where the metric is a ratio, else in its unit',
    ),
});
export type PlanQuery = z.infer<typeof PlanQuery>;

export const NeededExamples = namedObject('NeededExamples', {
  value: z.int().describe('how many; at least 30'),
  low: z.int().nullable().describe('lower bound of its 95 percent interval; null: unknown'),
  high: z.int().nullable().describe('upper bound of its 95 percent interval; null: unknown'),
});
export type NeededExamples = z.infer<typeof NeededExamples>;

const Needed = NeededExamples.nullable();
const NEEDED =
  'examples on which a comparison of the two models detects the difference with 80 percent power; null where it cannot be estimated';
const NEEDED_ON_BOARD =
  'the same, if all pairs on the board are tested together, as for ranks (Bonferroni; ranks need at most this)';

const PlannedPair = z.object({
  a: z.string().describe('id of a model'),
  b: z.string().describe('id of the other model'),
  difference: z
    .number()
    .nullable()
    .describe('a minus b in performance on the datasets so far, in the unit of `detect`; null: unknown'),
  datasets: z.array(z.string()).describe('datasets that the spread was estimated from: rounds if there are any'),
  examples: z.int().describe('examples of these datasets'),
  designEffect: z
    .number()
    .nullable()
    .describe(
      'factor by which clusters of dependent examples raise the number; 1: no clusters; null: unknown for this metric',
    ),
  needed: Needed.describe(NEEDED),
  neededOnBoard: Needed.describe(NEEDED_ON_BOARD),
  why: z.string().nullable().describe('in words, why it cannot be estimated; null: it can'),
});

const PlannedCost = z.object({
  currency: z.string().describe('ISO 4217'),
  perExample: z.number().describe('pay of a written example in the rounds so far'),
  needed: z.number().nullable().describe('expected pay of all examples to write for `needed`'),
  neededOnBoard: z.number().nullable().describe('expected pay of all examples to write for `neededOnBoard`'),
});

export const RoundPlan = namedObject('RoundPlan', {
  task: z.string().describe('its slug'),
  performance: z.string().describe('the metric in which models are compared'),
  unit: z.string().describe('of `detect` and of the differences: points, or the unit of the metric'),
  detect: z.number().describe('the difference to detect, in `unit`'),
  revision: z.int().nullable().describe('board revision that names the top models; null: there is no board yet'),
  disclosure: ShownDisclosure,
  ranked: z.int().describe('ranked models with a rank interval, at most 200'),
  pairsOnBoard: z.int().describe('pairs of them, which the ranks compare together'),
  couldBeFirst: z.int().describe('models that could be first'),
  models: z
    .array(z.object({ rank: z.int().describe('its rank'), model: ModelReference.describe('which one') }))
    .describe(
      'the planned models: those that could be first, at most 10, or the first two if only one could; copies are left out',
    ),
  pairs: z.array(PlannedPair).describe('each pair of the planned models'),
  needed: Needed.describe('the largest `needed` of the pairs; null: there is none'),
  neededOnBoard: Needed.describe('the largest `neededOnBoard` of the pairs; null: there is none'),
  minimumExamples: z.int().describe('a dataset with fewer examples does not rank'),
  writtenPerExample: z
    .number()
    .nullable()
    .describe(
      'examples that people wrote in closed rounds for each example of a dataset that ranks: the others were rejected, or are train and dev data; null: no closed round has such a dataset',
    ),
  toWrite: z.int().nullable().describe('examples to write for `needed`; null: unknown'),
  toWriteOnBoard: z.int().nullable().describe('examples to write for `neededOnBoard`; null: unknown'),
  costs: z
    .array(PlannedCost)
    .optional()
    .describe('expected pay of crowd workers by currency, for the owner of the task only; empty: nobody was paid yet'),
});
export type RoundPlan = z.infer<typeof RoundPlan>;
