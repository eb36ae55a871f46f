import { DomainError, seededRng } from '@assay/kernel';
import { ClusterNumbers } from './cluster-numbers.js';
import type { Clusters, Estimate } from './estimate.js';
import { bytes, integers, numbers, type GrowableColumn } from './growable-column.js';
import { labelEstimate } from './intervals/bootstrap.js';
import { meanEstimate } from './intervals/t-interval.js';
import { proportionEstimate } from './intervals/wilson.js';
import { cellTable, LabelCells } from './label-cells.js';
import type { Metric } from './metric.js';
import { metricNamed } from './metrics/registry.js';

export interface AccumulatorOptions {
  /** Names of the registry. */
  readonly metrics: readonly string[];
  /** Names the random draws: the same examples in the same order with the same seed give the same result. */
  readonly seed: string;
  /** Fields whose values are slices; default none. Other fields given to `add` are left out. */
  readonly slices?: readonly string[];
}

export interface ScoredExample {
  /** Every acceptable answer. */
  readonly gold: readonly string[];
  /** The model's answer; null is a tolerated bad one, which is wrong. */
  readonly predicted: string | null;
  /** Examples of the same value are not independent. Without it, or empty: independent of all others. */
  readonly cluster?: string | null;
  /** Values per field. Several put the example in several slices, each once; an empty one in none. */
  readonly slices?: Readonly<Record<string, readonly string[]>>;
}

export interface MetricScores {
  /** Examples. */
  readonly n: number;
  readonly metrics: Readonly<Record<string, Estimate>>;
}

export interface AccumulatedScores extends MetricScores {
  /** field → value → scores. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, MetricScores>>>>;
}

/** More distinct values than this are no slices but free text. */
const MAXIMUM_SLICES = 10_000;

/**
 * Takes examples one by one and gives metrics, intervals and slices at the end. It keeps numbers and no text: 1 to 8 bytes an example and
 * metric, 4 to 28 for its cluster, 4 for each slice it is in.
 */
export class MetricAccumulator {
  private readonly metrics: readonly Metric[];
  private readonly scores: readonly (GrowableColumn<Uint8Array> | GrowableColumn<Float64Array> | null)[];
  private readonly cells: LabelCells | null;
  private readonly cellOf = integers();
  private readonly clusterNumbers = new ClusterNumbers();
  private clusterOf: GrowableColumn<Int32Array> | null = null;
  private readonly slices: ReadonlyMap<string, Map<string, GrowableColumn<Int32Array>>>;
  private examples = 0;

  /** Throws `unknown_metric`. */
  constructor(private readonly options: AccumulatorOptions) {
    this.metrics = options.metrics.map((name) => metricNamed(name));
    this.scores = this.metrics.map((metric) => {
      if (metric.kind !== 'mean') return null;
      return metric.scores === 'binary' ? bytes() : numbers();
    });
    this.cells = this.metrics.some((metric) => metric.kind === 'labels') ? new LabelCells() : null;
    this.slices = new Map((options.slices ?? []).map((field) => [field, new Map()]));
  }

  /** Examples so far. */
  get count(): number {
    return this.examples;
  }

  /** Takes one example. Throws `too_many_slices` for a field of more than 10,000 values. */
  add(example: ScoredExample): void {
    for (const [index, metric] of this.metrics.entries()) {
      if (metric.kind === 'mean') this.scores[index]!.push(metric.perExample(example.gold, example.predicted));
    }
    if (this.cells) this.cellOf.push(this.cells.cellOf(example.gold, example.predicted));
    this.addToCluster(example.cluster ?? '');
    for (const [field, values] of this.slices) this.addToSlices(field, values, example.slices?.[field] ?? []);
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

  private addToSlices(field: string, known: Map<string, GrowableColumn<Int32Array>>, values: readonly string[]): void {
    for (const value of new Set(values)) {
      if (value === '') continue;

      let members = known.get(value);
      if (!members) {
        if (known.size === MAXIMUM_SLICES) throw tooManySlices(field);
        members = integers();
        known.set(value, members);
      }
      members.push(this.examples);
    }
  }

  /** Scores of all examples and of each slice. Throws `nothing_to_score` without examples. Takes up to a second for a million examples. */
  result(): AccumulatedScores {
    if (this.examples === 0) throw new DomainError('invalid', 'nothing_to_score', 'There are no examples to score.');

    const clusters = this.clusterOf && { of: this.clusterOf.view(), count: this.clusterNumbers.count };
    const renumber = clusters && new Int32Array(clusters.count).fill(-1);
    const slices = new Map<string, Record<string, MetricScores>>();
    for (const [field, values] of this.slices) {
      const scores = new Map<string, MetricScores>();
      for (const [value, members] of values) {
        const rows = members.view();
        const local = clusters && renumber && clustersAmong(clusters, rows, renumber);
        scores.set(value, this.scoresOf(rows, local, `${this.options.seed}/${field}/${value}`));
      }
      slices.set(field, Object.fromEntries(scores));
    }
    return { ...this.scoresOf(null, clusters, this.options.seed), slices: Object.fromEntries(slices) };
  }

  /** Scores of the examples `rows`, or of all. */
  private scoresOf(rows: Int32Array | null, clusters: Clusters | null, seed: string): MetricScores {
    const cells = this.cells && cellTable(this.cells, pick(this.cellOf.view(), rows));
    const estimates = this.metrics.map((metric, index): [string, Estimate] => {
      if (metric.kind === 'labels') {
        const rng = seededRng(`${seed}/${metric.name}`);
        return [metric.name, labelEstimate((counts) => metric.fromLabels(counts), cells!, clusters, rng)];
      }
      if (metric.kind !== 'mean') throw new Error(`${metric.name} can't be accumulated yet`);
      const scores = pick(this.scores[index]!.view(), rows);
      const estimate =
        metric.scores === 'binary'
          ? proportionEstimate(scores, clusters)
          : meanEstimate(scores, clusters, metric.range);
      return [metric.name, estimate];
    });
    return { n: rows?.length ?? this.examples, metrics: Object.fromEntries(estimates) };
  }
}

function pick<T extends Uint8Array | Int32Array | Float64Array>(column: T, rows: Int32Array | null): T {
  if (!rows) return column;

  const picked = column.slice(0, rows.length) as T;
  for (let index = 0; index < rows.length; index++) picked[index] = column[rows[index]!]!;
  return picked;
}

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

function tooManySlices(field: string): DomainError {
  const message = `The field "${field}" has more than ${MAXIMUM_SLICES} values: it is no field to slice by.`;
  return new DomainError('invalid', 'too_many_slices', message);
}
