import type { Clusters, Partition } from './estimate.js';
import { Numbering } from './numbering.js';

/**
 * Returns the clusters of examples that depend on each other in two ways, such as by annotator and
 * by context. If each group of one way lies within a group of the other, the wider groups contain
 * all dependence and are returned alone.
 */
export function crossedClusters(one: Partition, other: Partition): Clusters {
  const both = intersections(one, other);
  if (both.count === other.count) return one;
  if (both.count === one.count) return other;
  return { ...one, crossed: { second: other, both } };
}

/** Returns the number of clusters; with two ways, the smaller one. */
export const fewestClusters = ({ count, crossed }: Clusters): number =>
  crossed ? Math.min(count, crossed.second.count) : count;

/** Returns the clusters of the examples with these numbers, numbered densely. */
export function clustersAmong(clusters: Clusters, rows: Int32Array): Clusters {
  const one = partitionAmong(clusters, rows);
  return clusters.crossed ? crossedClusters(one, partitionAmong(clusters.crossed.second, rows)) : one;
}

function partitionAmong({ of }: Partition, rows: Int32Array): Partition {
  const numbers = new Numbering<number>();
  return { of: rows.map((row) => numbers.of(of[row]!)), count: numbers.size };
}

/** Numbers the pairs of groups that occur, in the order of their first example. */
function intersections(one: Partition, other: Partition): Partition {
  const numbers = new Numbering<number>();
  const of = one.of.map((group, example) => numbers.of(group * other.count + other.of[example]!));
  return { of, count: numbers.size };
}
