import { seededRng } from '@assay/kernel';
import { ClusterNumbers } from '../cluster-numbers.js';
import type { Clusters, Estimate } from '../estimate.js';
import { quantile, RESAMPLES } from '../intervals/bootstrap.js';
import type { MetricExample } from '../metric.js';

/**
 * The maximum number of drawn clusters. More clusters are pooled by their number, which limits the
 * time.
 */
const LARGEST_CLUSTERS = 10_000;

export interface OriginalAnswer extends MetricExample {
  readonly id: string;
  /** Originals with the same value are not independent. */
  readonly cluster?: string | null;
}

export interface VariantAnswer extends MetricExample {
  /** The ID of its original. */
  readonly original: string;
  readonly transform: string;
}

/** The originals that have variants, and these variants. */
export interface OriginalGroup {
  readonly originals: readonly OriginalAnswer[];
  readonly variants: readonly VariantAnswer[];
  /** Per variant, the index of its original. */
  readonly of: Int32Array;
  /** Per original, the number of its variants: k_o ≥ 1. */
  readonly counts: Int32Array;
  /** The clusters of the originals; null if all are independent. */
  readonly clusters: Clusters | null;
}

/**
 * Returns the originals that have one of `variants`, in their order. Variants without an original
 * are ignored.
 */
export function originalGroup(originals: readonly OriginalAnswer[], variants: readonly VariantAnswer[]): OriginalGroup {
  const wanted = new Set(variants.map(({ original }) => original));
  const chosen = originals.filter(({ id }) => wanted.has(id));
  const places = new Map(chosen.map(({ id }, place) => [id, place]));
  const known = variants.filter(({ original }) => places.has(original));
  const of = Int32Array.from(known, ({ original }) => places.get(original)!);
  const counts = new Int32Array(chosen.length);
  for (const place of of) counts[place]!++;
  return { originals: chosen, variants: known, of, counts, clusters: clustersOf(chosen) };
}

function clustersOf(originals: readonly OriginalAnswer[]): Clusters | null {
  if (!originals.some(({ cluster }) => cluster)) return null;
  const numbers = new ClusterNumbers();
  const of = Int32Array.from(originals, ({ cluster }) => (cluster ? numbers.of(cluster) : numbers.alone()));
  return { of, count: numbers.count };
}

/**
 * Calls `visit` 1000 times with how often each original is drawn. Draws as many clusters as there
 * are, with replacement; each brings all its originals.
 *
 * @param seed seeds the draws: the same group and seed give the same draws for every model
 */
export function eachResample(group: OriginalGroup, seed: string, visit: (times: Int32Array) => void): void {
  const clusters = Math.min(group.clusters?.count ?? group.originals.length, LARGEST_CLUSTERS);
  const rng = seededRng(seed);
  const drawn = new Int32Array(clusters);
  const times = new Int32Array(group.originals.length);
  for (let draw = 0; draw < RESAMPLES; draw++) {
    drawn.fill(0);
    for (let each = 0; each < clusters; each++) drawn[rng.below(clusters)]!++;
    for (let place = 0; place < times.length; place++) {
      times[place] = drawn[(group.clusters?.of[place] ?? place) % clusters]!;
    }
    visit(times);
  }
}

/**
 * Returns `value` with the percentile interval of its resampled values. No interval for fewer than
 * two clusters or fewer than two defined values.
 */
export function percentileEstimate(value: number, resampled: Float64Array, group: OriginalGroup): Estimate {
  const sorted = resampled.filter((each) => !Number.isNaN(each)).sort();
  if ((group.clusters?.count ?? group.originals.length) < 2 || sorted.length < 2) {
    return { value, low: null, high: null, standardError: null };
  }
  const average = sorted.reduce((sum, each) => sum + each, 0) / sorted.length;
  const squares = sorted.reduce((sum, each) => sum + (each - average) ** 2, 0);
  return {
    value,
    low: quantile(sorted, 0.025),
    high: quantile(sorted, 0.975),
    standardError: Math.sqrt(squares / (sorted.length - 1)),
  };
}
