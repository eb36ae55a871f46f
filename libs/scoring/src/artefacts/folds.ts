import { seededRng } from '@assay/kernel';
import type { Clusters } from '../estimate.js';

/** The number of parts in cross-validation. */
export const FOLDS = 5;

/** Returns the fold of each example. Clusters are dealt to the folds in random order. */
export function foldsOf(examples: number, clusters: Clusters | null, seed: string): Uint8Array {
  const rng = seededRng(`folds/${seed}`);
  const order = Array.from({ length: clusters?.count ?? examples }, (_, cluster) => cluster);
  for (let last = order.length - 1; last > 0; last--) {
    const other = rng.below(last + 1);
    [order[last], order[other]] = [order[other]!, order[last]!];
  }
  const foldOf = new Uint8Array(order.length);
  for (const [place, cluster] of order.entries()) foldOf[cluster] = place % FOLDS;
  return Uint8Array.from({ length: examples }, (_, example) => foldOf[clusters ? clusters.of[example]! : example]!);
}
