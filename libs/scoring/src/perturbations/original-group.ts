import { ClusterColumn } from '../cluster-numbers.js';
import type { Clusters } from '../estimate.js';
import type { MetricExample } from '../metric.js';
import { drawingOf } from '../resampling/drawing.js';

/**
 * The minimum number of originals with variants. With fewer, the metrics are undefined, and a
 * transform is left out of the mean over transforms.
 */
export const MINIMUM_ORIGINALS = 30;

export interface OriginalAnswer extends MetricExample {
  readonly id: string;
  /** Originals with the same value are not independent. */
  readonly cluster?: string | null;
  /** The cluster in a second way, which crosses the first. */
  readonly secondCluster?: string | null;
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
  const clustered = new ClusterColumn();
  for (const { cluster, secondCluster } of chosen) clustered.add(cluster, secondCluster);
  return { originals: chosen, variants: known, of, counts, clusters: clustered.clusters };
}

/**
 * Calls `visit` 1000 times with how often each original is drawn, with its whole cluster: see
 * `drawingOf`.
 *
 * @param seed seeds the draws: the same group and seed give the same draws for every model
 */
export function eachResample(group: OriginalGroup, seed: string, visit: (times: Int32Array) => void): void {
  const drawing = drawingOf(group.clusters, group.originals.length);
  const times = new Int32Array(group.originals.length);
  for (const chunk of drawing.draws(seed)) {
    for (const drawn of chunk) {
      for (let place = 0; place < times.length; place++) times[place] = drawn[drawing.groupOf[place]!]!;
      visit(times);
    }
  }
}
