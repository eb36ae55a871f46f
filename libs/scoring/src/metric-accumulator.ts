import { DomainError } from '@assay/kernel';
import { CALIBRATION_METRICS, ReliabilityBins, type Reliability } from './calibration.js';
import { ClusterColumn } from './cluster-numbers.js';
import { clustersAmong } from './crossed-clusters.js';
import { bareEstimate, type Clusters, type Estimate } from './estimate.js';
import { onSlice, type RecordedMetric } from './recorded/recorded-metric.js';
import { RecordedMetrics } from './recorded/recorded-metrics.js';
import type { TextRules } from './language/text-rules.js';
import { contextOf, type MetricExample, type OutputType } from './metric.js';
import { metricNamed } from './metrics/registry.js';
import type { Spans } from './metrics/spans.js';
import { drawingOf } from './resampling/drawing.js';
import { resampledValues } from './resampling/resampled-values.js';
import { packRight, RIGHT_ANSWERS } from './resampling/right-answers.js';
import { atOnce, inTurns, type Work } from './resampling/work.js';
import { SliceField, type Slicing } from './slices/slice-field.js';
import { sliceSpreads, type Drawn, type SliceSpread, type SpreadWithResamples } from './slices/slice-spreads.js';

export interface AccumulatorOptions extends TextRules {
  /**
   * Selects among metrics of the same name. Default: the first metric of that name. Calibration is
   * computed only for `label`.
   */
  readonly output?: OutputType;
  /** The labels of the task, in its order. Default: none. */
  readonly labels?: readonly string[];
  /** Metric names from the registry. The first is the performance metric. */
  readonly metrics: readonly string[];
  /**
   * Seeds the random draws. The same examples in the same order with the same seed give the same
   * result.
   */
  readonly seed: string;
  /** Fields whose values are slices. Default: none. `add` ignores the values of other fields. */
  readonly slices?: readonly Slicing[];
}

export interface ScoredExample {
  /** All acceptable answers. */
  readonly gold: readonly string[];
  /** The model's answer; null is a tolerated bad answer, which counts as wrong. */
  readonly predicted: string | null;
  /** One probability per label of the task, in its order; null or absent if the model gave none. */
  readonly probabilities?: ArrayLike<number> | null;
  /** For outputs of type span, where the answers stand in the text. */
  readonly spans?: Spans | undefined;
  /**
   * The cluster of the example. Examples with the same value are not independent. Absent or empty:
   * independent of all others.
   */
  readonly cluster?: string | null;
  /** The cluster of the example in a second way, which crosses the first; absent or empty likewise. */
  readonly secondCluster?: string | null;
  /**
   * Values per field. Several values put the example in several slices, once in each; an empty
   * value puts it in none.
   */
  readonly slices?: Readonly<Record<string, readonly string[]>>;
  /**
   * The value of the match field, for each slicing field with `match`. It is the group within which
   * the example is compared; absent or empty: no group.
   */
  readonly matches?: Readonly<Record<string, string | null>>;
}

export interface MetricScores {
  /** Number of examples. */
  readonly n: number;
  /** Estimates by metric name. Metrics that are undefined on the examples are left out. */
  readonly metrics: Readonly<Record<string, Estimate>>;
}

export interface AccumulatedScores extends MetricScores {
  /** field → value → scores. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, MetricScores>>>>;
}

export interface CompleteScores extends AccumulatedScores {
  /**
   * field → metric → spread over the slices. Fields and metrics with fewer than two slices of at
   * least 30 examples are left out.
   */
  readonly sliceSpreads: Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>;
  /** Null unless every answer has probabilities. A tolerated bad answer needs none. */
  readonly calibration: Reliability | null;
  /**
   * 1000 bootstrap values per metric and, for the performance metric, `worst:<field>` and
   * `gap:<field>`. All models scored with the same seed on the same examples share the draws of
   * clusters. If a draw leaves the metric undefined, it holds the value over all examples. Left out
   * are the metrics of data with fewer than two clusters, and metrics with values beyond the range
   * of float32 (about 3e38). If answers are right or wrong by the performance metric, the column
   * `right` has them as `packRight` packs them.
   */
  readonly resamples: Readonly<Record<string, Float32Array>>;
}

/**
 * Accumulates examples one by one and computes metrics, intervals and slices at the end. It stores
 * numbers, no text. Bytes per example:
 *
 * - 1 or 8 for each metric that is a mean (binary or graded scores)
 * - 4 for all metrics of label counts together
 * - 8 for each number of a columns metric
 * - 4 for a sums metric, and 9 for each of its non-zero numbers (12 beyond 256 sums)
 * - 4 to 28 for each cluster, 4 for each slice, 4 for each match field
 * - 47 more for calibration if the model gives probabilities
 */
export class MetricAccumulator {
  private readonly recorded: RecordedMetrics;
  private readonly names: readonly string[];
  private readonly clustered = new ClusterColumn();
  private readonly fields: readonly SliceField[];
  private readonly bins: ReliabilityBins;

  /** @throws DomainError `unknown_metric` */
  constructor(private readonly options: AccumulatorOptions) {
    const { output } = options;
    const context = contextOf(options);
    this.names = [...new Set(options.metrics)];
    const beside = output === 'label' ? CALIBRATION_METRICS.filter((name) => !this.names.includes(name)) : [];
    const metrics = [...this.names, ...beside].map((name) => metricNamed(name, output));
    this.recorded = new RecordedMetrics(metrics, context);
    this.bins = new ReliabilityBins(context);
    this.fields = (options.slices ?? []).map((slicing) => new SliceField(slicing));
  }

  /** Number of examples added so far. */
  get count(): number {
    return this.clustered.length;
  }

  /**
   * Adds one example.
   *
   * @throws DomainError `too_many_slices` if a field has more than 10,000 values
   */
  add(example: ScoredExample): void {
    const { gold, predicted, probabilities = null, spans } = example;
    const seen: MetricExample = { gold, predicted, probabilities, spans };
    this.recorded.add(seen);
    if (this.options.output === 'label') this.bins.add(seen);
    for (const field of this.fields) {
      const name = field.slicing.field;
      field.add(this.count, example.slices?.[name] ?? [], example.matches?.[name] ?? null);
    }
    this.clustered.add(example.cluster, example.secondCluster);
  }

  /**
   * Returns the scores of all examples and of each slice.
   *
   * @throws DomainError `nothing_to_score` without examples
   */
  result(): AccumulatedScores {
    return atOnce(this.scores());
  }

  /**
   * Returns the same scores with slice spreads, calibration and resamples. This takes seconds for a
   * large dataset, so every few milliseconds it awaits `turn` (for example `setImmediate` of
   * `node:timers/promises`) to let other work run.
   *
   * @throws DomainError `nothing_to_score` without examples
   */
  complete(turn: () => Promise<unknown>): Promise<CompleteScores> {
    return inTurns(this.completeScores(), turn);
  }

  private *scores(): Work<AccumulatedScores> {
    if (this.count === 0) throw new DomainError('invalid', 'nothing_to_score', 'There are no examples to score.');

    const { clusters } = this.clustered;
    const slices = new Map<string, Record<string, MetricScores>>();
    for (const { slicing, slices: values } of this.fields) {
      const scores = new Map<string, MetricScores>();
      for (const [value, members] of values) {
        const rows = members.view();
        const local = clusters && clustersAmong(clusters, rows);
        const seed = `${this.options.seed}/${slicing.field}/${value}`;
        scores.set(value, { n: rows.length, metrics: yield* estimates(this.scored().map(onSlice), rows, local, seed) });
      }
      slices.set(slicing.field, Object.fromEntries(scores));
    }
    const metrics = yield* estimates(this.scored(), null, clusters, this.options.seed);
    return { n: this.count, metrics, slices: Object.fromEntries(slices) };
  }

  private *completeScores(): Work<CompleteScores> {
    const scores = yield* this.scores();
    const { clusters } = this.clustered;
    const { seed } = this.options;
    const drawing = drawingOf(clusters, this.count);
    const drawn: Drawn = { drawing, clusters, seed };
    const metrics = this.scored().filter(({ metric }) => scores.metrics[metric.name] && drawing.units > 1);
    const resampled = yield* resampledValues(
      metrics.map((recorded) => recorded.statistic(null, drawing.groupOf)),
      seed,
      drawing,
    );
    const resamples = new Map(
      metrics.map(({ metric: { name } }, index) => [name, settled(resampled[index]!, scores.metrics[name]!.value)]),
    );
    const right = metrics.find(({ metric }) => metric.name === this.names[0])?.rightAnswers?.();
    if (right) resamples.set(RIGHT_ANSWERS, packRight(right));
    const spreads = new Map<string, Readonly<Record<string, SliceSpread>>>();
    for (const field of this.fields) {
      const found = yield* sliceSpreads(field, metrics, drawn);
      if (found.length === 0) continue;
      spreads.set(field.slicing.field, Object.fromEntries(found.map(({ metric, spread }) => [metric, spread])));
      for (const [name, values] of this.resampledSpread(field, found)) resamples.set(name, values);
    }
    return {
      ...scores,
      sliceSpreads: Object.fromEntries(spreads),
      calibration: yield* this.reliability(clusters),
      resamples: Object.fromEntries(Array.from(resamples).filter(([, values]) => values.every(Number.isFinite))),
    };
  }

  /**
   * Returns the resampled worst slice and gap of the performance metric, which boards can rank by.
   */
  private resampledSpread({ slicing }: SliceField, found: readonly SpreadWithResamples[]): [string, Float32Array][] {
    const performance = found.find(({ metric }) => metric === this.names[0]);
    if (!performance) return [];

    const { worst, gap, spread } = performance;
    return [
      [`worst:${slicing.field}`, settled(worst, spread.worst.value)],
      [`gap:${slicing.field}`, settled(gap, spread.gap.value)],
    ];
  }

  private *reliability(clusters: Clusters | null): Work<Reliability | null> {
    const judged = this.recorded.all.filter(({ metric }) => CALIBRATION_METRICS.some((name) => name === metric.name));
    const { ece, brier, log_loss } = yield* estimates(judged, null, clusters, this.options.seed);
    return ece && brier && log_loss ? { n: this.count, ece, brier, log_loss, bins: this.bins.read() } : null;
  }

  /** Returns the metrics that were requested and that the examples define. */
  private scored(): readonly RecordedMetric[] {
    return this.recorded.all.filter(({ metric }) => this.names.includes(metric.name));
  }
}

/** Returns the estimates by metric name, for the metrics that these examples define. */
function* estimates(
  metrics: readonly RecordedMetric[],
  rows: Int32Array | null,
  clusters: Clusters | null,
  seed: string,
): Work<Readonly<Record<string, Estimate>>> {
  const defined: [string, Estimate][] = [];
  for (const recorded of metrics) {
    const estimate = yield* recorded.estimate(rows, clusters, seed);
    if (Number.isFinite(estimate.value)) defined.push([recorded.metric.name, bounded(estimate)]);
    yield;
  }
  return Object.fromEntries(defined);
}

/** Drops the interval if it is not finite: finite errors may have squares that are not. */
const bounded = (estimate: Estimate): Estimate =>
  [estimate.low, estimate.high, estimate.standardError].every((each) => each === null || Number.isFinite(each))
    ? estimate
    : bareEstimate(estimate.value);

/**
 * Converts resampled values to single precision and replaces undefined ones by the value over all
 * examples.
 */
const settled = (values: Float64Array, value: number): Float32Array =>
  Float32Array.from(values, (each) => (Number.isNaN(each) ? value : each));
