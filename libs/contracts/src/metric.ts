import { z } from 'zod';

export const DIRECTIONS = ['higher', 'lower'] as const;
export type Direction = (typeof DIRECTIONS)[number];

export const OUTPUT_TYPES = ['label', 'labels', 'span', 'text', 'number'] as const;
export type OutputType = (typeof OUTPUT_TYPES)[number];

/** What is known of a quantity wherever it is named: how to read it, and for which outputs it is defined. */
export interface MetricDeclaration {
  readonly direction: Direction;
  /** `ratio` is a number in [0, 1] ([-1, 1] for mcc); `examples/s`, `ms` and `GiB` are costs. */
  readonly unit: 'ratio' | 'examples/s' | 'ms' | 'GiB';
  readonly outputs: readonly OutputType[];
}

/** Metrics that are computed from predictions. */
export const PERFORMANCE_METRICS = {
  accuracy: { direction: 'higher', unit: 'ratio', outputs: ['label'] },
  macro_f1: { direction: 'higher', unit: 'ratio', outputs: ['label'] },
  micro_f1: { direction: 'higher', unit: 'ratio', outputs: ['label'] },
  weighted_f1: { direction: 'higher', unit: 'ratio', outputs: ['label'] },
  balanced_accuracy: { direction: 'higher', unit: 'ratio', outputs: ['label'] },
  mcc: { direction: 'higher', unit: 'ratio', outputs: ['label'] },
  exact_match: { direction: 'higher', unit: 'ratio', outputs: ['span', 'text'] },
  squad_f1: { direction: 'higher', unit: 'ratio', outputs: ['span', 'text'] },
} as const satisfies Record<string, MetricDeclaration>;
export type PerformanceMetric = keyof typeof PERFORMANCE_METRICS;

const ALL_OUTPUTS = OUTPUT_TYPES;

/** Quantities that are measured while a model runs. */
export const COST_METRICS = {
  throughput: { direction: 'higher', unit: 'examples/s', outputs: ALL_OUTPUTS },
  latency_p50: { direction: 'lower', unit: 'ms', outputs: ALL_OUTPUTS },
  latency_p95: { direction: 'lower', unit: 'ms', outputs: ALL_OUTPUTS },
  latency_p99: { direction: 'lower', unit: 'ms', outputs: ALL_OUTPUTS },
  memory: { direction: 'lower', unit: 'GiB', outputs: ALL_OUTPUTS },
} as const satisfies Record<string, MetricDeclaration>;
export type CostMetric = keyof typeof COST_METRICS;

export const METRICS: Readonly<Record<string, MetricDeclaration>> = { ...PERFORMANCE_METRICS, ...COST_METRICS };
export type MetricName = PerformanceMetric | CostMetric;

export const PerformanceMetricName = z.enum(Object.keys(PERFORMANCE_METRICS) as [PerformanceMetric]);
export const MetricNameSchema = z.enum(Object.keys(METRICS) as [MetricName]);
export const isCostMetric = (name: string): name is CostMetric => Object.hasOwn(COST_METRICS, name);

/** A figure with its 95% interval; `low` and `high` are null where no interval is defined (one cluster only). */
export const Estimate = z
  .object({
    value: z.number(),
    low: z.number().nullable(),
    high: z.number().nullable(),
    standardError: z.number().nullable().exactOptional().meta({ description: 'in the unit of the value' }),
  })
  .meta({ id: 'Estimate' });
export type Estimate = z.infer<typeof Estimate>;

/** Costs of one evaluation. Null where the run was too short for the percentile, or where nothing ran (predictions). */
export const Measures = z
  .object({
    throughput: z.number().nullable().meta({ description: 'examples per second, whole offline pass' }),
    latency_p50: z.number().nullable().meta({ description: 'milliseconds; one request at a time' }),
    latency_p90: z.number().nullable(),
    latency_p95: z.number().nullable(),
    latency_p99: z.number().nullable(),
    latency_count: z.number().int().meta({ description: 'requests of the latency pass' }),
    memory: z.number().nullable().meta({ description: 'GiB, peak of anonymous and shared memory' }),
    memory_cgroup: z.number().nullable().meta({ description: "GiB, the cgroup's own peak, with page cache" }),
    cold_start: z.number().nullable().meta({ description: 'milliseconds from start to ready' }),
    contended: z.boolean().meta({ description: 'taken while something else used the host' }),
    hardware: z.string().meta({ description: 'hardware class: CPU model, cpus, runtime' }),
  })
  .meta({ id: 'Measures' });
export type Measures = z.infer<typeof Measures>;

export const SliceResult = z
  .object({ n: z.number().int(), metrics: z.record(z.string(), Estimate) })
  .meta({ id: 'SliceResult' });
export type SliceResult = z.infer<typeof SliceResult>;
