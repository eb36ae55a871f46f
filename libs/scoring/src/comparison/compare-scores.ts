import type { Clusters } from '../estimate.js';
import { pick } from '../recorded/recorded-metric.js';
import { drawnGroups } from '../resampling/cluster-draws.js';
import { groupsOf } from '../resampling/drawing.js';
import { comparePaired, type Comparison } from './compare-paired.js';
import type { ModelScores } from './joint-answers.js';

export interface ComparedRows {
  /** Numbers of the examples, ascending; null for all examples. */
  readonly rows: Int32Array | null;
  /** The clusters of these examples; null if they are independent. */
  readonly clusters: Clusters | null;
  readonly seed: string;
}

/**
 * Compares two models by their scores in one metric. More than 10,000 clusters are pooled into
 * 10,000 groups. Returns null if the difference or its error is not finite.
 */
export function compareScores(
  [a, b]: readonly [ModelScores, ModelScores],
  { rows, clusters, seed }: ComparedRows,
): Comparison | null {
  const { name, scores, range } = a.metric;
  const binary = scores === 'binary';
  const picked = pick(a.scores, rows);
  // McNemar's test of independent examples needs no draws
  const drawn = binary && !clusters ? null : pooled(clusters, picked.length);
  const compared = comparePaired({
    a: picked,
    b: pick(b.scores, rows),
    binary,
    range,
    clusters: drawn,
    seed: `${seed}/${name}`,
  });
  // finite errors may have sums or squares that are not finite
  return Number.isFinite(compared.difference.value + (compared.detectable ?? 0)) ? compared : null;
}

/**
 * Returns the groups of clusters, or of independent examples; null if each example is a group.
 * Crossed clusters stay, because their test needs no draws.
 */
function pooled(clusters: Clusters | null, examples: number): Clusters | null {
  if (clusters?.crossed) return clusters;
  const units = clusters?.count ?? examples;
  const groups = drawnGroups(units);
  return units === groups ? clusters : { of: groupsOf(clusters, examples), count: groups };
}
