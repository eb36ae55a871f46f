import { seededRng, type Rng } from '@assay/kernel';
import type { Clusters, Partition } from '../estimate.js';
import type { RecordedMetric } from '../recorded/recorded-metric.js';
import { quantile } from '../intervals/bootstrap.js';
import { Numbering } from '../numbering.js';
import { mean } from '../intervals/cluster-sums.js';
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
 * example, so that sizes and overlaps are preserved. Clusters move as a whole, so that slices which
 * consist of whole clusters differ by chance as much as clusters do. If slices are matched, both
 * examples are in the same group. Slices on which a metric is undefined are left out.
 *
 * @param clusters null if examples are independent; of crossed clusters, those move that the slices
 *   divide less, see `movingClusters`
 */
export function* byChance(
  metrics: readonly RecordedMetric[],
  compared: ComparedSlices,
  clusters: Clusters | null,
  seed: string,
): Work<ByChance[]> {
  const { slices, rows } = compared;
  const read = metrics.map((recorded) => recorded.reader());
  const defined = read.map((valueOf) => slices.map((slice) => !Number.isNaN(valueOf(slice.rows))));
  const places = slices.map((slice) => placesAmong(rows, slice.rows));
  const permuted = slices.map((slice) => new Int32Array(slice.rows.length));
  const permutations = permutationsOf(metrics, compared);
  const moments = metrics.map(() => slices.map(() => new Moments()));
  const gaps = metrics.map(() => new Float64Array(permutations));
  const shuffle = shuffler(compared, movingClusters(compared, clusters), seededRng(`chance/${seed}`));

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
        if (!defined[metric]![slice]) continue;
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
 * Returns a function that shuffles the examples again at each call: whole blocks, each within its
 * group. The result holds, for each position in `rows`, the example that takes over the slices of
 * the example there.
 */
function shuffler(compared: ComparedSlices, clusterOf: Int32Array | null, rng: Rng): () => Int32Array {
  const { rows } = compared;
  const { places, starts, firstOf } = blocksOf(compared, clusterOf);
  const order = Int32Array.from(firstOf.keys());
  const drawn = new Int32Array(rows.length);

  return () => {
    for (let at = 0; at < order.length; at++) {
      const first = firstOf[at]!;
      const other = first + rng.below(at - first + 1);
      const block = order[at]!;
      order[at] = order[other]!;
      order[other] = block;
    }
    let filled = 0;
    for (const block of order) {
      for (let member = starts[block]!; member < starts[block + 1]!; member++) {
        drawn[places[filled++]!] = rows[places[member]!]!;
      }
    }
    return drawn;
  };
}

/** Blocks of examples that move together. */
interface Blocks {
  /** Positions of the examples in `rows`, group after group and within it block after block. */
  readonly places: Int32Array;
  /** Block b has `places[starts[b] … starts[b + 1])`. */
  readonly starts: Int32Array;
  /** Per block, the first block of its group. */
  readonly firstOf: Int32Array;
}

/**
 * Returns the blocks: clusters, or single examples without clusters and in groups within one
 * cluster. Clusters of the same slices are neighbours, so that a larger cluster that takes the
 * places of smaller ones mostly stays in one slice.
 */
function blocksOf(compared: ComparedSlices, clusterOf: Int32Array | null): Blocks {
  const { rows, matched } = compared;
  const groupOf = matched?.groupOf ?? new Int32Array(rows.length);
  const blockOf = clusterOf ? clustersWithin(groupOf, rows, clusterOf) : rows;
  const patternOf = clusterOf ? ofFirst(patternsOf(compared), blockOf) : groupOf;
  const places = Int32Array.from(rows.keys()).sort(
    (one, other) =>
      groupOf[one]! - groupOf[other]! ||
      patternOf[one]! - patternOf[other]! ||
      blockOf[one]! - blockOf[other]! ||
      one - other,
  );
  const starts: number[] = [];
  const firstOf: number[] = [];
  for (const [at, place] of places.entries()) {
    const before = places[at - 1];
    if (before !== undefined && blockOf[place] === blockOf[before]) continue;
    const isSameGroup = before !== undefined && groupOf[place] === groupOf[before];
    firstOf.push(isSameGroup ? firstOf.at(-1)! : starts.length);
    starts.push(at);
  }
  return { places, starts: Int32Array.from([...starts, places.length]), firstOf: Int32Array.from(firstOf) };
}

/**
 * Numbers the clusters of each group, different groups differently. In a group that lies within one
 * cluster, each example has a number of its own.
 */
function clustersWithin(groupOf: Int32Array, rows: Int32Array, clusterOf: Int32Array): Int32Array {
  const clusters = new Map<number, Set<number>>();
  for (const [place, row] of rows.entries()) {
    const known = clusters.get(groupOf[place]!);
    if (known) known.add(clusterOf[row]!);
    else clusters.set(groupOf[place]!, new Set([clusterOf[row]!]));
  }
  const numbers = new Numbering<string>();
  return rows.map((row, place) => {
    const group = groupOf[place]!;
    return numbers.of(clusters.get(group)!.size > 1 ? `${group} ${clusterOf[row]!}` : `alone ${row}`);
  });
}

/**
 * Returns the clusters that move as a whole. If clusters are crossed, a slice is mostly a property of
 * one way, such as the tag of a context: that of which more examples share the slices of their
 * cluster. If both do equally, it is the way with fewer clusters.
 */
function movingClusters(compared: ComparedSlices, clusters: Clusters | null): Int32Array | null {
  if (!clusters?.crossed) return clusters?.of ?? null;
  const patterns = patternsOf(compared);
  const alike = (way: Partition): number => {
    const first = ofFirst(
      patterns,
      compared.rows.map((row) => way.of[row]!),
    );
    return patterns.filter((pattern, place) => pattern === first[place]).length;
  };
  const { second } = clusters.crossed;
  const preference = alike(clusters) - alike(second) || second.count - clusters.count;
  return preference >= 0 ? clusters.of : second.of;
}

/** Numbers the combinations of slices, and returns that of each entry of `rows`. */
function patternsOf({ slices, rows }: ComparedSlices): Int32Array {
  const numbers = new Numbering<number>([[0, 0]]);
  const own = new Int32Array(rows.length);
  for (const [slice, members] of slices.entries()) {
    for (const place of placesAmong(rows, members.rows)) {
      own[place] = numbers.of(own[place]! * (slices.length + 1) + slice + 1);
    }
  }
  return own;
}

/** Gives each example the pattern of the first one of its block. */
function ofFirst(patterns: Int32Array, blockOf: Int32Array): Int32Array {
  const first = new Map<number, number>();
  return patterns.map((pattern, place) => {
    const block = blockOf[place]!;
    if (!first.has(block)) first.set(block, pattern);
    return first.get(block)!;
  });
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
