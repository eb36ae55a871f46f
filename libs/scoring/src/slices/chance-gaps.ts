import { seededRng, type Rng } from '@assay/kernel';
import type { RecordedMetric } from '../recorded/recorded-metric.js';
import { quantile } from '../intervals/bootstrap.js';
import { mean } from '../intervals/cluster-standard-error.js';
import type { Work } from '../resampling/work.js';
import type { ComparedSlices } from './compared-slices.js';

/** The values that a metric would have on slices of these sizes if membership were random. */
export interface ByChance {
  /** Mean and 95% quantile of the gap between the best and the worst slice. */
  readonly gap: { readonly mean: number; readonly high: number };
  /** Per slice, mean and standard deviation of its value. */
  readonly means: Float64Array;
  readonly deviations: Float64Array;
}

const MOST = 1000;
const FEWEST = 100;
/**
 * The number of examples read per metric. Large datasets get fewer permutations, and need fewer.
 */
const BUDGET = 40_000_000;

/**
 * Returns, per metric, the distribution of slice values and gaps under permuted membership.
 * Permutes `MOST` times, less often for large datasets. An example takes over all slices of another
 * example, so that sizes and overlaps are preserved. If slices are matched, both examples are in
 * the same group.
 */
export function* byChance(
  metrics: readonly RecordedMetric[],
  compared: ComparedSlices,
  seed: string,
): Work<ByChance[]> {
  const { slices, rows } = compared;
  const read = metrics.map((kept) => kept.reader());
  const places = slices.map((slice) => placesAmong(rows, slice.rows));
  const permuted = slices.map((slice) => new Int32Array(slice.rows.length));
  const permutations = permutationsOf(metrics, compared);
  const moments = metrics.map(() => slices.map(() => new Moments()));
  const gaps = metrics.map(() => new Float64Array(permutations));
  const shuffle = shuffler(compared, seededRng(`chance/${seed}`));

  for (let permutation = 0; permutation < permutations; permutation++) {
    const drawn = shuffle();
    for (const [slice, into] of permuted.entries()) {
      const from = places[slice]!;
      for (let member = 0; member < into.length; member++) into[member] = drawn[from[member]!]!;
    }
    for (const [metric, valueOf] of read.entries()) {
      let low = Infinity;
      let high = -Infinity;
      for (const [slice, members] of permuted.entries()) {
        const value = valueOf(members);
        if (Number.isNaN(value)) continue;
        moments[metric]![slice]!.add(value);
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
      gaps[metric]![permutation] = high > low ? high - low : 0;
    }
    yield;
  }
  return metrics.map((_, metric) => ({
    gap: { mean: mean(gaps[metric]!), high: quantile(gaps[metric]!.sort(), 0.95) },
    means: Float64Array.from(moments[metric]!, ({ mean }) => mean),
    deviations: Float64Array.from(moments[metric]!, ({ deviation }) => deviation),
  }));
}

function permutationsOf(metrics: readonly RecordedMetric[], { slices, rows }: ComparedSlices): number {
  const members = slices.reduce((sum, slice) => sum + slice.rows.length, 0);
  // a columns metric reads every example for each slice
  const read = metrics.some(({ metric }) => metric.kind === 'columns') ? slices.length * rows.length : members;
  return Math.max(FEWEST, Math.min(MOST, Math.floor(BUDGET / (rows.length + read))));
}

/** Returns the position of each of `members` in `rows`. Both are ascending. */
function placesAmong(rows: Int32Array, members: Int32Array): Int32Array {
  let place = 0;
  return members.map((row) => {
    while (rows[place] !== row) place++;
    return place;
  });
}

/**
 * Returns a function that shuffles the examples again at each call. If slices are matched, examples
 * are shuffled within their groups.
 */
function shuffler({ rows, matched }: ComparedSlices, rng: Rng): () => Int32Array {
  const drawn = rows.slice();
  // the positions of the examples, group after group
  const places = Int32Array.from(rows.keys());
  if (matched) places.sort((one, other) => matched.groupOf[one]! - matched.groupOf[other]! || one - other);
  const starts = places.map((place, at) =>
    at > 0 && matched && matched.groupOf[place] !== matched.groupOf[places[at - 1]!] ? at : 0,
  );
  for (let at = 1; at < starts.length; at++) if (starts[at] === 0) starts[at] = starts[at - 1]!;

  return () => {
    for (let at = 0; at < places.length; at++) {
      const start = starts[at]!;
      const other = places[start + rng.below(at - start + 1)]!;
      const place = places[at]!;
      const kept = drawn[place]!;
      drawn[place] = drawn[other]!;
      drawn[other] = kept;
    }
    return drawn;
  };
}

/** The running mean and standard deviation of a stream of values (Welford 1962). */
class Moments {
  mean = 0;
  private count = 0;
  private squares = 0;

  add(value: number): void {
    this.count++;
    const step = value - this.mean;
    this.mean += step / this.count;
    this.squares += step * (value - this.mean);
  }

  get deviation(): number {
    return Math.sqrt(this.squares / (this.count - 1));
  }
}
