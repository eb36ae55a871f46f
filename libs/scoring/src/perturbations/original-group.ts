import { seededRng } from '@assay/kernel';
import { ClusterNumbers } from '../cluster-numbers.js';
import type { Clusters, Estimate } from '../estimate.js';
import { quantile, RESAMPLES } from '../intervals/bootstrap.js';
import type { MetricExample } from '../metric.js';

/** More clusters than this are pooled by their number, which bounds the time. */
const LARGEST_CLUSTERS = 10_000;

export interface OriginalAnswer extends MetricExample {
  readonly id: string;
  /** Originals of the same value are not independent. */
  readonly cluster?: string | null;
}

export interface VariantAnswer extends MetricExample {
  /** Id of its original. */
  readonly original: string;
  readonly transform: string;
}

/** Originals that have variants, and those, each variant with the place of its original. */
export interface OriginalGroup {
  readonly originals: readonly OriginalAnswer[];
  readonly variants: readonly VariantAnswer[];
  /** Per variant, the place of its original. */
  readonly of: Int32Array;
  /** Per original, its variants: k_o ≥ 1. */
  readonly counts: Int32Array;
  /** Of the originals; null where each is independent of the others. */
  readonly clusters: Clusters | null;
}

/** The originals, in their order, that have one of `variants`. A variant of no original counts for nothing. */
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
 * Calls `visit` 1000 times with how often each original is drawn: as many clusters as there are, with replacement, each with all its originals.
 * @param seed names the draws: the same group and seed give the same draws, whoever answered
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

/** `value` with the percentile interval of its resampled values; none where a single cluster was drawn from. */
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
