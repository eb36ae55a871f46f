import { clustersAmong, fewestClusters } from '../crossed-clusters.js';
import type { Clusters, Estimate } from '../estimate.js';
import { onSlice, type RecordedMetric } from '../recorded/recorded-metric.js';
import type { Direction, Metric } from '../metric.js';
import type { Drawing } from '../resampling/drawing.js';
import { resampledValues } from '../resampling/resampled-values.js';
import type { Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { byChance, type ByChance } from './chance-gaps.js';
import { comparedSlices, type ComparedSlice, type ComparedSlices } from './compared-slices.js';
import { standingOut, type ScreenedSlice } from './screening.js';
import { spread } from './simultaneous.js';
import type { SliceField } from './slice-field.js';
import { gapInterval, sliceIntervals } from './slice-intervals.js';

/** The value of a slice with its interval. */
export interface SliceEstimate extends Estimate {
  readonly slice: string;
}

/**
 * The spread of a metric over the slices of one field. The intervals hold for all slices at once.
 */
export interface SliceSpread {
  /** The worst of the slices with at least 30 examples. */
  readonly worst: SliceEstimate;
  readonly best: SliceEstimate;
  /** Best minus worst; worst minus best if lower is better. */
  readonly gap: Estimate;
  /** Mean and 95% quantile of the gap that slices of these sizes have by chance. */
  readonly chance: { readonly mean: number; readonly high: number };
  /** Number of slices that were compared. */
  readonly slices: number;
  /**
   * Only if slices are matched: the number of groups that contain every slice equally often, and
   * the size and value of each slice within them.
   */
  readonly matched?: {
    readonly groups: number;
    readonly values: Readonly<Record<string, { readonly n: number; readonly value: number }>>;
  };
  /**
   * Slices that differ from the rest of the examples, by the Benjamini–Hochberg procedure at 5%.
   */
  readonly standingOut: string[];
}

/** The setup of the draws over all examples of a dataset. */
export interface Drawn {
  readonly drawing: Drawing;
  /** Null if examples are independent. */
  readonly clusters: Clusters | null;
  readonly seed: string;
}

/**
 * The spread of one metric over the slices of a field and, per draw, the value of the worst slice
 * and the gap.
 */
export interface SpreadWithResamples {
  readonly metric: string;
  readonly spread: SliceSpread;
  readonly worst: Float64Array;
  readonly gap: Float64Array;
}

/** The maximum number of resampled columns in memory, 8 kB each. */
const MAXIMUM_COLUMNS = 5_000;

/**
 * Returns the spreads of the metrics that are defined on at least two slices with 30 or more
 * examples.
 */
export function* sliceSpreads(field: SliceField, metrics: readonly RecordedMetric[], drawn: Drawn) {
  const found: SpreadWithResamples[] = [];
  const compared = comparedSlices(field, drawn.drawing.groupOf.length);
  if (compared.slices.length < 2 || drawn.drawing.units < 2) return found;

  const together = Math.max(1, Math.floor(MAXIMUM_COLUMNS / compared.slices.length));
  for (let first = 0; first < metrics.length; first += together) {
    found.push(...(yield* spreadsOf(compared, metrics.slice(first, first + together), field.slicing.field, drawn)));
  }
  return found;
}

function* spreadsOf(
  compared: ComparedSlices,
  metrics: readonly RecordedMetric[],
  field: string,
  drawn: Drawn,
): Work<SpreadWithResamples[]> {
  const { slices, rows } = compared;
  const statistics: Statistic[] = [];
  for (const recorded of metrics) {
    for (const [at, of] of [rows, ...slices.map((slice) => slice.rows)].entries()) {
      const groupOf = of.map((row) => drawn.drawing.groupOf[row]!);
      statistics.push((at === 0 ? recorded : onSlice(recorded)).statistic(of, groupOf));
      yield;
    }
  }
  const resampled = yield* resampledValues(statistics, drawn.seed, drawn.drawing);
  const chances = yield* byChance(metrics.map(onSlice), compared, drawn.clusters, `${drawn.seed}/${field}`);
  const clusters = slices.map((slice) => clustersOf(slice.rows, drawn));

  const found: SpreadWithResamples[] = [];
  for (const [index, recorded] of metrics.entries()) {
    const first = index * (slices.length + 1);
    const [all, ...each] = resampled.slice(first, first + slices.length + 1) as [Float64Array, ...Float64Array[]];
    const valueOf = onSlice(recorded).reader();
    const values = Float64Array.from(slices, (slice) => valueOf(slice.rows));
    const evidence = { compared, values, all, each, clusters, chance: chances[index]! };
    const result = yield* spreadOf(recorded.metric, evidence);
    if (result) found.push(result);
  }
  return found;
}

interface Evidence {
  readonly compared: ComparedSlices;
  /** The value per slice. */
  readonly values: Float64Array;
  /** The resampled value of all compared examples (`all`) and of each slice (`each`). */
  readonly all: Float64Array;
  readonly each: readonly Float64Array[];
  readonly clusters: readonly number[];
  readonly chance: ByChance;
}

function* spreadOf(metric: Metric, evidence: Evidence): Work<SpreadWithResamples | null> {
  const { compared, chance } = evidence;
  const defined = Array.from(evidence.values.keys()).filter((slice) => !Number.isNaN(evidence.values[slice]));
  if (defined.length < 2) return null;

  const slices = defined.map((slice) => compared.slices[slice]!);
  const values = Float64Array.from(defined, (slice) => evidence.values[slice]!);
  const resamples = defined.map((slice) => evidence.each[slice]!);
  const clusters = defined.map((slice) => evidence.clusters[slice]!);
  const intervals = sliceIntervals({ values, resamples }, clusters, metric);
  const [low, high] = [values.indexOf(Math.min(...values)), values.indexOf(Math.max(...values))];
  const pair = metric.direction === 'higher' ? { worst: low, best: high } : { worst: high, best: low };
  return {
    metric: metric.name,
    spread: {
      worst: { slice: slices[pair.worst]!.name, ...intervals[pair.worst]! },
      best: { slice: slices[pair.best]!.name, ...intervals[pair.best]! },
      gap: yield* gapInterval({ values, resamples }, intervals, pair, metric.range),
      chance: chance.gap,
      slices: slices.length,
      ...(compared.matched && {
        matched: { groups: compared.matched.groups, values: sizesAndValues(slices, values) },
      }),
      standingOut: standingOut(defined.map((slice) => screened(slice, evidence))),
    },
    ...extremes(resamples, metric.direction),
  };
}

function screened(slice: number, { compared, values, all, each, chance }: Evidence): ScreenedSlice {
  return {
    name: compared.slices[slice]!.name,
    value: values[slice]!,
    chanceMean: chance.means[slice]!,
    chanceDeviation: chance.deviations[slice]!,
    clusteredError: spread(each[slice]!.map((value, draw) => value - all[draw]!)),
  };
}

function sizesAndValues(slices: readonly ComparedSlice[], values: Float64Array) {
  return Object.fromEntries(slices.map(({ name, rows }, index) => [name, { n: rows.length, value: values[index]! }]));
}

/**
 * Returns, per draw, the value of the worst slice and the gap, among the slices that the draw
 * defines; NaN if it defines none.
 */
function extremes(resamples: readonly Float64Array[], direction: Direction) {
  const worst = new Float64Array(resamples[0]!.length).fill(NaN);
  const gap = new Float64Array(worst.length).fill(NaN);
  for (let draw = 0; draw < worst.length; draw++) {
    let low = Infinity;
    let high = -Infinity;
    for (const values of resamples) {
      if (Number.isNaN(values[draw])) continue;
      low = Math.min(low, values[draw]!);
      high = Math.max(high, values[draw]!);
    }
    if (low > high) continue;
    worst[draw] = direction === 'higher' ? low : high;
    gap[draw] = high - low;
  }
  return { worst, gap };
}

const clustersOf = (rows: Int32Array, { clusters }: Drawn): number =>
  clusters ? fewestClusters(clustersAmong(clusters, rows)) : rows.length;
