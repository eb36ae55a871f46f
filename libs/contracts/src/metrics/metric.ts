import {
  type Direction,
  metricNamed,
  METRICS as SCORED,
  NO_INTERVAL_REASONS,
  OUTPUT_TYPES,
  type OutputType,
  type PerformanceMetric,
  type Unit,
} from '@assay/scoring/metrics';
import { z } from 'zod';
import { namedObject } from '../named-object.js';

export {
  type Direction,
  DIRECTIONS,
  OUTPUT_TYPES,
  type OutputType,
  type PerformanceMetric,
} from '@assay/scoring/metrics';

/** The properties of a metric or cost: how to read it, and the outputs for which it is defined. */
export interface MetricDeclaration {
  readonly direction: Direction;
  readonly unit: Unit;
  readonly outputs: readonly OutputType[];
}

interface CostDeclaration extends MetricDeclaration {
  /**
   * The value that is worth 0 points where exchange rates are fixed and the task sets none, in the
   * unit of the cost.
   */
  readonly reference: number;
}

const performanceNames = [...new Set(SCORED.map(({ name }) => name))];

/**
 * The metrics that are computed from predictions, as libs/scoring declares them. Metrics of one name
 * are one here, with the outputs of all.
 */
export const PERFORMANCE_METRICS = Object.fromEntries(
  performanceNames.map((name): [PerformanceMetric, MetricDeclaration] => {
    const { direction, unit } = metricNamed(name);
    const outputs = SCORED.filter((metric) => metric.name === name).flatMap((metric) => metric.outputs);
    return [name, { direction, unit, outputs }];
  }),
) as Readonly<Record<PerformanceMetric, MetricDeclaration>>;

/** The costs that are measured while a model runs. */
export const COST_METRICS = {
  cpu_time: { direction: 'lower', unit: 's/example', outputs: OUTPUT_TYPES, reference: 0.001 },
  throughput: { direction: 'higher', unit: 'examples/s', outputs: OUTPUT_TYPES, reference: 300 },
  latency_p50: { direction: 'lower', unit: 'ms', outputs: OUTPUT_TYPES, reference: 100 },
  latency_p95: { direction: 'lower', unit: 'ms', outputs: OUTPUT_TYPES, reference: 100 },
  latency_p99: { direction: 'lower', unit: 'ms', outputs: OUTPUT_TYPES, reference: 100 },
  memory: { direction: 'lower', unit: 'GiB', outputs: OUTPUT_TYPES, reference: 1 },
} as const satisfies Record<string, CostDeclaration>;
export type CostMetric = keyof typeof COST_METRICS;

/**
 * Returns whether a figure of this cost is worse if something else used the host. The CPU time of a
 * model hardly depends on that.
 */
export const dependsOnContention = (cost: CostMetric): boolean => cost !== 'cpu_time';

/**
 * The metrics that are computed from perturbed examples, if the task configures perturbations. The
 * version is raised whenever the same predictions would get another value.
 */
export const PERTURBATION_METRICS = {
  fairness: { version: 1, direction: 'higher', unit: 'ratio', outputs: OUTPUT_TYPES },
  robustness: { version: 1, direction: 'higher', unit: 'ratio', outputs: OUTPUT_TYPES },
  fairness_mean: { version: 1, direction: 'higher', unit: 'ratio', outputs: OUTPUT_TYPES },
  robustness_mean: { version: 1, direction: 'higher', unit: 'ratio', outputs: OUTPUT_TYPES },
  fairness_stability: { version: 1, direction: 'higher', unit: 'ratio', outputs: OUTPUT_TYPES },
  robustness_stability: { version: 1, direction: 'higher', unit: 'ratio', outputs: OUTPUT_TYPES },
} as const satisfies Record<string, MetricDeclaration & { readonly version: number }>;
export type PerturbationMetric = keyof typeof PERTURBATION_METRICS;

export const PERTURBATIONS = ['fairness', 'robustness'] as const;
export type Perturbation = (typeof PERTURBATIONS)[number];

/**
 * The metrics with fixed names. `declareMetric` adds `worst:<field>` and `gap:<field>` of each
 * slice field.
 */
export const METRICS: Readonly<Record<string, MetricDeclaration>> = {
  ...PERFORMANCE_METRICS,
  ...PERTURBATION_METRICS,
  ...COST_METRICS,
};
export const PerformanceMetricName = z.enum(performanceNames);
/** Any name that a board can weigh. Whether the task has that metric is checked elsewhere. */
export const MetricName = z.string().refine((name) => Object.hasOwn(METRICS, name) || sliceMetric(name) !== null, {
  error: ({ input }) => `"${String(input).slice(0, 80)}" is not a metric`,
  params: { code: 'unknown_metric' },
});
export const isCostMetric = (name: string): name is CostMetric => Object.hasOwn(COST_METRICS, name);
export const isPerturbationMetric = (name: string): name is PerturbationMetric =>
  Object.hasOwn(PERTURBATION_METRICS, name);

/**
 * Returns the kind and slice field of `worst:<field>` or `gap:<field>`, or null for any other name.
 */
export function sliceMetric(name: string): { readonly kind: 'worst' | 'gap'; readonly field: string } | null {
  const [, kind, field] = /^(worst|gap):(.+)$/s.exec(name) ?? [];
  return kind && field ? { kind: kind as 'worst' | 'gap', field } : null;
}

/**
 * Returns the declaration of the metric `name` for a task with the performance metric
 * `performance`, or undefined if there is no such metric. The value of the worst slice reads like
 * the performance metric; a smaller gap between slices is better.
 */
export function declareMetric(name: string, performance: PerformanceMetric): MetricDeclaration | undefined {
  const slices = sliceMetric(name);
  if (!slices) return METRICS[name];
  const { unit, direction, outputs } = PERFORMANCE_METRICS[performance];
  return { unit, outputs, direction: slices.kind === 'gap' ? 'lower' : direction };
}

/**
 * A figure with its 95% interval. `low` and `high` are null if no interval is defined; `why` then
 * gives the reason, if it is known.
 */
export const Estimate = namedObject('Estimate', {
  value: z.number().describe('the figure itself; ratios as ratios, so 0.81 is 81 percent'),
  low: z.number().nullable().describe('where its 95 percent interval begins; null: no interval is known'),
  high: z.number().nullable().describe('where its 95 percent interval ends'),
  standardError: z.number().nullable().exactOptional().describe('in the unit of the value'),
  why: z
    .enum(NO_INTERVAL_REASONS)
    .exactOptional()
    .describe(
      'the reason why there is no interval: fewer than 30 effective examples, fewer than 5 clusters, or no example that differs from the others',
    ),
  band: z
    .object({ low: z.number().describe('where the band begins'), high: z.number().describe('where it ends') })
    .readonly()
    .exactOptional()
    .describe('for `ece`: the 95 percent band of values that a perfectly calibrated model has on as many examples'),
  estimated: z
    .literal(true)
    .exactOptional()
    .describe(
      'some of it is fitted: a dataset was collected against this model, and its own figure there says nothing',
    ),
  measured: z
    .number()
    .exactOptional()
    .describe(
      'on a board, of a fitted figure on one dataset: the figure on the examples that were collected against this model, which does not count',
    ),
  contended: z
    .literal(true)
    .exactOptional()
    .describe('on a board: a cost, some of which was measured while something else used the host'),
  short: z
    .literal(true)
    .exactOptional()
    .describe('on a board: a throughput, some of which was measured on few examples'),
  rounded: z
    .literal(true)
    .exactOptional()
    .describe(
      'rounded to the precision that its interval supports, because it is a score on hidden data or contains one; see `disclosure` of the task',
    ),
});
export type Estimate = z.infer<typeof Estimate>;

export const LatencyBins = z
  .array(
    z.object({
      low: z.number().describe('milliseconds at which the bin begins'),
      high: z.number().describe('milliseconds before which it ends'),
      n: z.int().describe('requests in it'),
    }),
  )
  .readonly();

/**
 * The latency in milliseconds of relay, connection and container alone, measured with a model that
 * does nothing and receives the same requests as the models.
 */
export const LatencyFloor = namedObject('LatencyFloor', {
  latency_p50: z
    .number()
    .nullable()
    .describe('milliseconds that half of the requests stay within; null: too few requests to say'),
  latency_p90: z.number().nullable().describe('the same of 90 percent of the requests'),
  latency_p95: z.number().nullable().describe('the same of 95 percent'),
  latency_p99: z.number().nullable().describe('the same of 99 percent'),
  count: z.int().describe('requests'),
  bins: LatencyBins.exactOptional().describe('the same requests by latency; bins without any are left out'),
});
export type LatencyFloor = z.infer<typeof LatencyFloor>;

const low = z.number().nullable();

/**
 * The lower ends of the 95% intervals of the latency percentiles. The upper ends are the percentiles
 * themselves, which are upper bounds.
 */
export const LatencyLows = namedObject('LatencyLows', {
  latency_p50: low.describe('milliseconds; null with fewer than 64 requests'),
  latency_p90: low.describe('milliseconds; null with fewer than 64 requests'),
  latency_p95: low.describe('milliseconds; null with fewer than 130 requests'),
  latency_p99: low.describe('milliseconds; null with fewer than 662 requests'),
});
export type LatencyLows = z.infer<typeof LatencyLows>;

/**
 * The standard deviation of each cost between measurements of one model, in the unit of the cost.
 */
export const MeasureSpread = namedObject('MeasureSpread', {
  cpu_time: z.number().nullable().exactOptional().describe('CPU seconds per example'),
  throughput: z.number().nullable().describe('examples per second'),
  latency_p50: z.number().nullable().describe('milliseconds'),
  latency_p90: z.number().nullable().describe('milliseconds'),
  latency_p95: z.number().nullable().describe('milliseconds'),
  latency_p99: z.number().nullable().describe('milliseconds'),
  memory: z.number().nullable().describe('GiB'),
});
export type MeasureSpread = z.infer<typeof MeasureSpread>;

/**
 * The costs of one evaluation. Null if the run was too short for the percentile, or if nothing ran
 * (predictions). After several measurements, each cost is the median of those that were not
 * contended, on the hardware class of the newest of these. CPU time is that of the run that answered,
 * contended or not.
 */
export const Measures = namedObject('Measures', {
  cpu_time: z
    .number()
    .nullable()
    .exactOptional()
    .describe(
      'CPU seconds per example, of all processes of the model, over the offline pass of the run that answered: each example once. Null if the host has no such counter; absent in runs before it was measured',
    ),
  throughput: z
    .number()
    .nullable()
    .describe(
      'examples per second, over the whole offline pass (batches); the median of the passes if there are several',
    ),
  throughput_spread: z
    .number()
    .nullable()
    .exactOptional()
    .describe('standard deviation of the throughput over the passes of one measurement; absent with one pass'),
  latency_p50: z
    .number()
    .nullable()
    .describe(
      'milliseconds that half of the requests stay within, one request at a time: the estimate of LoadGen, which the true percentile exceeds with a probability of 1%; null with fewer than 64 requests',
    ),
  latency_p90: z.number().nullable().describe('the same of 90 percent of the requests; null with fewer than 64'),
  latency_p95: z.number().nullable().describe('the same of 95 percent; null with fewer than 130'),
  latency_p99: z.number().nullable().describe('the same of 99 percent; null with fewer than 662'),
  latency_low: LatencyLows.exactOptional().describe(
    'lower ends of the 95% intervals of the latencies; their upper ends are the latencies themselves. Absent for older measurements, whose latencies are the plain percentiles of the requests',
  ),
  latency_count: z.number().int().describe('requests of the latency pass'),
  latency_bins: LatencyBins.exactOptional().describe(
    'those requests by latency, over all measurements; bins without any are left out. None of runs before they were kept',
  ),
  memory: z.number().nullable().describe('GiB, peak of anonymous and shared memory'),
  memory_cgroup: z.number().nullable().describe("GiB, the cgroup's own peak, with page cache"),
  cold_start: z.number().nullable().describe('milliseconds from start to ready'),
  contended: z.boolean().describe('taken while something else used the host'),
  short: z
    .literal(true)
    .exactOptional()
    .describe('the throughput was measured on few examples, because there are too few different ones'),
  provisional: z
    .literal(true)
    .exactOptional()
    .describe(
      'the throughput and the latencies come from the run that answered: no run that only measured contributed',
    ),
  hardware: z.string().describe('hardware class: CPU model, cpus, runtime'),
  floor: LatencyFloor.nullable()
    .exactOptional()
    .describe('latencies of a model that does nothing, in the same session; null where it could not be had'),
  repeats: z.int().exactOptional().describe('measurements that the figures are medians of'),
  spread: MeasureSpread.nullable()
    .exactOptional()
    .describe('standard deviations over the measurements; null with fewer than two'),
});
export type Measures = z.infer<typeof Measures>;

/** How exactly scores on hidden data are shown. */
export const Disclosure = z.enum(['exact', 'rounded']);
export type Disclosure = z.infer<typeof Disclosure>;

/**
 * The disclosure of a response, for views that contain scores on hidden data of a task that rounds
 * them.
 */
export const ShownDisclosure = Disclosure.optional().describe(
  'present if the task rounds scores on hidden data and this response has some. rounded: they are rounded; exact: they are as only the owner of the task and administrators see them',
);

/** The result of sending some examples a second time, to a fresh container. */
export const Repeatability = namedObject('Repeatability', {
  compared: z.int().describe('examples that were asked about twice, in all runs'),
  different: z.int().describe('of those, how many were answered otherwise'),
  why: z.string().optional().describe('why the last run could not compare'),
});
export type Repeatability = z.infer<typeof Repeatability>;

export const SliceResult = namedObject('SliceResult', {
  n: z.number().int().describe('examples in the slice'),
  metrics: z.record(z.string(), Estimate).describe('by metric, on these examples alone'),
});
export type SliceResult = z.infer<typeof SliceResult>;

/**
 * The worst and best slices of a field and the gap between them, with intervals that hold for all
 * slices of the field simultaneously (max-|T| bootstrap).
 */
export const SliceSpread = namedObject('SliceSpread', {
  worst: Estimate.extend({ slice: z.string().describe('its value of the field') }).describe(
    'the worst slice of at least 30 examples',
  ),
  best: Estimate.extend({ slice: z.string().describe('its value of the field') }).describe(
    'the best slice of at least 30 examples',
  ),
  gap: Estimate.describe('how far the best and the worst slice are apart'),
  chance: z
    .object({
      mean: z.number().describe('how large it is on average'),
      high: z.number().describe('what it exceeds in 5 percent of the cases'),
    })
    .describe('the gap that slices of these sizes have by chance alone: a larger one says something'),
  slices: z.int().describe('slices of at least 30 examples'),
  matched: z
    .object({
      groups: z.int().describe('groups that hold every value of the field, and each equally often'),
      values: z
        .record(
          z.string(),
          z.object({
            n: z.int().describe('examples with this value in those groups'),
            value: z.number().describe('the metric on them'),
          }),
        )
        .describe('by value of the field'),
    })
    .optional()
    .describe('where the task matches: the groups that hold every value, and what each value has in them'),
  standingOut: z
    .array(z.string())
    .readonly()
    .describe("slices that differ from the rest of the examples, by Benjamini and Hochberg's procedure at 5 percent"),
});
export type SliceSpread = z.infer<typeof SliceSpread>;

export const CalibrationResult = namedObject('CalibrationResult', {
  n: z.int().describe('examples with probabilities'),
  ece: Estimate.describe('expected calibration error, 15 bins of equal width on the probability of the given label'),
  brier: Estimate.describe(
    'mean squared error of the probabilities, summed over the labels: 0 is certain and right, 2 certain and wrong',
  ),
  log_loss: Estimate.describe('mean negative logarithm of the probability of the right label, in nats; less is better'),
  bins: z
    .array(
      z.object({
        low: z.number().describe('where the bin of the probability of the given label begins'),
        high: z.number().describe('where it ends'),
        n: z.int().describe('examples in it'),
        confidence: z.number().nullable().describe('mean probability of the given labels; null in an empty bin'),
        accuracy: z
          .number()
          .nullable()
          .describe('share of them answered right; a calibrated model has as much as it claims'),
      }),
    )
    .readonly()
    .describe('the reliability diagram: what the model claims beside what is right'),
});
export type CalibrationResult = z.infer<typeof CalibrationResult>;

const PerturbedFigures = z.object({
  originals: z.int().describe('originals that have variants'),
  variants: z.int().describe('perturbed examples of them'),
  stayedRight: Estimate.nullable().describe(
    'share of the originals that are answered right together with all their variants, which is what the board calls fairness or robustness; ' +
      'null with fewer than 30 originals',
  ),
  mean: Estimate.nullable()
    .exactOptional()
    .describe(
      'share of the variants of an original that are answered right together with it, averaged over the originals and then over the transforms, ' +
        'which is what the board calls fairness_mean or robustness_mean; null with fewer than 30 originals; absent in scores from before this figure',
    ),
  stability: Estimate.nullable().describe(
    "how far the answers to the variants are the model's own to the originals, right or wrong; null with fewer than 30 originals",
  ),
  performance: z.number().nullable().describe('the performance metric on the variants, against their gold'),
  drop: Estimate.nullable().describe(
    'performance on the same originals minus that on the variants: above 0, perturbing harms',
  ),
});

/** A model's figures on the perturbed version of a dataset. */
export const PerturbedResult = PerturbedFigures.extend({
  transforms: z
    .record(
      z.string(),
      PerturbedFigures.extend({
        validated: z.int().describe('variants that people have looked at'),
        kept: z.int().describe('of those, how many kept their label'),
        ranks: z
          .boolean()
          .describe(
            'false where people found that fewer than 95 percent keep their label: shown, and not counted above',
          ),
      }),
    )
    .describe('each way of perturbing by itself'),
}).meta({ id: 'PerturbedResult' });
export type PerturbedResult = z.infer<typeof PerturbedResult>;
