import { DomainError } from '@assay/kernel';
import { CALIBRATION_METRICS, ReliabilityBins, type Reliability } from './calibration.js';
import { ClusterNumbers } from './cluster-numbers.js';
import { bareEstimate, type Clusters, type Estimate } from './estimate.js';
import { integers, type GrowableColumn } from './growable-column.js';
import type { KeptMetric } from './kept/kept-metric.js';
import { KeptMetrics } from './kept/kept-metrics.js';
import type { MetricExample, OutputType } from './metric.js';
import { metricNamed } from './metrics/registry.js';
import { groupsOf, resampledValues } from './resampling/resampled-values.js';
import { atOnce, inTurns, type Work } from './resampling/work.js';
import { SliceField, type Slicing } from './slices/slice-field.js';
import type { SliceSpread } from './slices/slice-spread.js';
import { sliceSpreads, type Drawn, type SpreadWithResamples } from './slices/slice-spreads.js';

export interface AccumulatorOptions {
  /** Tells metrics of one name apart. Default: the first of the name; calibration is had with `label` alone. */
  readonly output?: OutputType;
  /** Of the task, in its order; default none. */
  readonly labels?: readonly string[];
  /** Names of the registry. The first is the performance metric. */
  readonly metrics: readonly string[];
  /** Names the random draws: the same examples in the same order with the same seed give the same result. */
  readonly seed: string;
  /** Fields whose values are slices; default none. Other fields given to `add` are left out. */
  readonly slices?: readonly Slicing[];
}

export interface ScoredExample {
  /** Every acceptable answer. */
  readonly gold: readonly string[];
  /** The model's answer; null is a tolerated bad one, which is wrong. */
  readonly predicted: string | null;
  /** One per label of the task, in its order; nothing where the model gave none. */
  readonly probabilities?: ArrayLike<number> | null;
  /** Examples of the same value are not independent. Without it, or empty: independent of all others. */
  readonly cluster?: string | null;
  /** Values per field. Several put the example in several slices, each once; an empty one in none. */
  readonly slices?: Readonly<Record<string, readonly string[]>>;
  /** Per slicing field with `match`, the value of the match field: the group in which the example is compared; nothing or empty: in none. */
  readonly matches?: Readonly<Record<string, string | null>>;
}

export interface MetricScores {
  /** Examples. */
  readonly n: number;
  /** By name; a metric that the examples leave undefined is not among them. */
  readonly metrics: Readonly<Record<string, Estimate>>;
}

export interface AccumulatedScores extends MetricScores {
  /** field → value → scores. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, MetricScores>>>>;
}

export interface CompleteScores extends AccumulatedScores {
  /** field → metric → what it has on the slices; fields and metrics of fewer than two slices of 30 examples are left out. */
  readonly sliceSpreads: Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>;
  /** Null where not every answer has probabilities. */
  readonly calibration: Reliability | null;
  /**
   * 1000 values per metric, and of the first one `worst:<field>` and `gap:<field>`, from the same draws of clusters for all models that are scored
   * with the same seed on the same examples. In a draw that leaves the metric undefined it has its value over all examples. Metrics of one
   * cluster only are left out, and those of errors beyond 1e38.
   */
  readonly resamples: Readonly<Record<string, Float32Array>>;
}

/**
 * Takes examples one by one and gives metrics, intervals and slices at the end. It keeps numbers and no text. Bytes an example: 1 to 8 for each
 * metric that is a mean, 4 for all metrics of labels together, 8 for each number that another metric looks at; 4 to 28 for its cluster, 4 for
 * each slice it is in, 4 for each match field; 57 more for calibration where the model gives probabilities.
 */
export class MetricAccumulator {
  private readonly kept: KeptMetrics;
  private readonly names: readonly string[];
  private readonly clusterNumbers = new ClusterNumbers();
  private clusterOf: GrowableColumn<Int32Array> | null = null;
  private readonly fields: readonly SliceField[];
  private readonly bins: ReliabilityBins;
  private examples = 0;

  /** Throws `unknown_metric`. */
  constructor(private readonly options: AccumulatorOptions) {
    const { output, labels = [] } = options;
    this.names = [...new Set(options.metrics)];
    const beside = output === 'label' ? CALIBRATION_METRICS.filter((name) => !this.names.includes(name)) : [];
    const metrics = [...this.names, ...beside].map((name) => metricNamed(name, output));
    this.kept = new KeptMetrics(metrics, { labels });
    this.bins = new ReliabilityBins({ labels });
    this.fields = (options.slices ?? []).map((slicing) => new SliceField(slicing));
  }

  /** Examples so far. */
  get count(): number {
    return this.examples;
  }

  /** Takes one example. Throws `too_many_slices` for a field of more than 10,000 values. */
  add(example: ScoredExample): void {
    const { gold, predicted, probabilities = null } = example;
    const seen: MetricExample = { gold, predicted, probabilities };
    this.kept.add(seen);
    if (this.options.output === 'label') this.bins.add(seen);
    this.addToCluster(example.cluster ?? '');
    for (const field of this.fields) {
      const name = field.slicing.field;
      field.add(this.examples, example.slices?.[name] ?? [], example.matches?.[name] ?? null);
    }
    this.examples++;
  }

  private addToCluster(cluster: string): void {
    if (cluster === '' && !this.clusterOf) return;

    if (!this.clusterOf) {
      this.clusterOf = integers();
      for (let index = 0; index < this.examples; index++) this.clusterOf.push(this.clusterNumbers.alone());
    }
    this.clusterOf.push(cluster === '' ? this.clusterNumbers.alone() : this.clusterNumbers.of(cluster));
  }

  /** Scores of all examples and of each slice. Throws `nothing_to_score` without examples. */
  result(): AccumulatedScores {
    return atOnce(this.scores());
  }

  /**
   * These, and how the slices differ, calibration and resamples. Seconds of work for a large dataset: every few milliseconds others have their
   * `turn`, e.g. `setImmediate` of `node:timers/promises`. Throws `nothing_to_score` without examples.
   */
  complete(turn: () => Promise<unknown>): Promise<CompleteScores> {
    return inTurns(this.completeScores(), turn);
  }

  private *scores(): Work<AccumulatedScores> {
    if (this.examples === 0) throw new DomainError('invalid', 'nothing_to_score', 'There are no examples to score.');

    const clusters = this.clusters();
    const renumber = clusters && new Int32Array(clusters.count).fill(-1);
    const slices = new Map<string, Record<string, MetricScores>>();
    for (const { slicing, slices: values } of this.fields) {
      const scores = new Map<string, MetricScores>();
      for (const [value, members] of values) {
        const rows = members.view();
        const local = clusters && renumber && clustersAmong(clusters, rows, renumber);
        const seed = `${this.options.seed}/${slicing.field}/${value}`;
        scores.set(value, { n: rows.length, metrics: yield* estimates(this.scored(), rows, local, seed) });
      }
      slices.set(slicing.field, Object.fromEntries(scores));
    }
    const metrics = yield* estimates(this.scored(), null, clusters, this.options.seed);
    return { n: this.examples, metrics, slices: Object.fromEntries(slices) };
  }

  private *completeScores(): Work<CompleteScores> {
    const scores = yield* this.scores();
    const clusters = this.clusters();
    const { seed } = this.options;
    const drawn: Drawn = {
      groupOf: groupsOf(clusters, this.examples),
      clusterOf: clusters?.of ?? null,
      clusters: clusters?.count ?? this.examples,
      seed,
    };
    const metrics = this.scored().filter(({ metric }) => scores.metrics[metric.name] && drawn.clusters > 1);
    const resampled = yield* resampledValues(
      metrics.map((kept) => kept.statistic(null, drawn.groupOf)),
      seed,
      drawn.clusters,
    );
    const resamples = new Map(
      metrics.map(({ metric: { name } }, index) => [name, settled(resampled[index]!, scores.metrics[name]!.value)]),
    );
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

  /** Of the performance metric alone: what boards can rank by. */
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
    const judged = this.kept.all.filter(({ metric }) => CALIBRATION_METRICS.some((name) => name === metric.name));
    const { ece, brier, log_loss } = yield* estimates(judged, null, clusters, this.options.seed);
    return ece && brier && log_loss ? { n: this.examples, ece, brier, log_loss, bins: this.bins.read() } : null;
  }

  /** The metrics that were asked for and that the examples define. */
  private scored(): readonly KeptMetric[] {
    return this.kept.all.filter(({ metric }) => this.names.includes(metric.name));
  }

  private clusters(): Clusters | null {
    return this.clusterOf && { of: this.clusterOf.view(), count: this.clusterNumbers.count };
  }
}

/** By name, the metrics that are defined of these examples. */
function* estimates(
  metrics: readonly KeptMetric[],
  rows: Int32Array | null,
  clusters: Clusters | null,
  seed: string,
): Work<Readonly<Record<string, Estimate>>> {
  const defined: [string, Estimate][] = [];
  for (const kept of metrics) {
    const estimate = yield* kept.estimate(rows, clusters, seed);
    if (Number.isFinite(estimate.value)) defined.push([kept.metric.name, bounded(estimate)]);
    yield;
  }
  return Object.fromEntries(defined);
}

/** Errors that are finite may have squares that are not: they leave no interval. */
const bounded = (estimate: Estimate): Estimate =>
  [estimate.low, estimate.high, estimate.standardError].every((each) => each === null || Number.isFinite(each))
    ? estimate
    : bareEstimate(estimate.value);

/** Resampled values in half the precision, in place of undefined ones that of all examples. */
const settled = (values: Float64Array, value: number): Float32Array =>
  Float32Array.from(values, (each) => (Number.isNaN(each) ? value : each));

/** The clusters of some examples, numbered densely. `scratch` holds −1 everywhere, before and after. */
function clustersAmong(clusters: Clusters, rows: Int32Array, scratch: Int32Array): Clusters {
  const of = new Int32Array(rows.length);
  const seen: number[] = [];
  for (let index = 0; index < rows.length; index++) {
    const cluster = clusters.of[rows[index]!]!;
    if (scratch[cluster] === -1) scratch[cluster] = seen.push(cluster) - 1;
    of[index] = scratch[cluster]!;
  }
  for (const cluster of seen) scratch[cluster] = -1;
  return { of, count: seen.length };
}
