import { fewestClusters } from '../crossed-clusters.js';
import type { Clusters, Partition } from '../estimate.js';
import { type Draws, clusterDraws, drawnGroups } from './cluster-draws.js';

/**
 * How the examples of a dataset are resampled. All models with the same examples, clusters and seed
 * have the same draws.
 */
export interface Drawing {
  /** Per example, its group. The examples of a group count equally often in each draw. */
  readonly groupOf: Int32Array;
  /** Number of groups. */
  readonly groups: number;
  /**
   * Number of units that are drawn: clusters, or examples without clusters. With two ways of
   * clustering, the smaller number.
   */
  readonly units: number;
  /**
   * For crossed clusters, the cluster of each group by either way. Null if each group is a cluster.
   */
  readonly ways: readonly [Partition, Partition] | null;
  /** Yields how often each group counts, 50 draws at a time. The next yield overwrites them. */
  draws(seed: string): Draws;
}

/**
 * Returns the drawing of whole clusters, or of examples without `clusters`. More than 10,000 of them
 * are pooled. Two ways of clustering are drawn independently of each other, and an example counts as
 * often as the product of the two (Owen 2007, "The pigeonhole bootstrap").
 */
export function drawingOf(clusters: Clusters | null, examples: number): Drawing {
  const units = clusters ? fewestClusters(clusters) : examples;
  if (!clusters?.crossed) {
    const groups = drawnGroups(units);
    return {
      groupOf: groupsOf(clusters, examples),
      groups,
      units,
      ways: null,
      draws: (seed) => clusterDraws(seed, units),
    };
  }
  const { second, both } = clusters.crossed;
  const divided = (way: Partition): Partition => ({ count: way.count, of: perGroup(both, groupsOf(way, examples)) });
  const [one, other] = [divided(clusters), divided(second)];
  const draws = (seed: string): Draws => crossedDraws(seed, one, other);
  return { groupOf: both.of, groups: both.count, units, ways: [one, other], draws };
}

/** Yields the product of two independent draws, for each pair of groups. */
function* crossedDraws(seed: string, one: Partition, other: Partition): Draws {
  // the two draws of the same number of clusters must not be equal
  const others = clusterDraws(`${seed}/second`, other.count);
  let chunk: Uint16Array[] = [];
  for (const ofOne of clusterDraws(seed, one.count)) {
    const ofOther = others.next().value!;
    if (chunk.length === 0) chunk = ofOne.map(() => new Uint16Array(one.of.length));
    for (const [draw, into] of chunk.entries()) {
      const [times, otherTimes] = [ofOne[draw]!, ofOther[draw]!];
      for (let pair = 0; pair < into.length; pair++) into[pair] = times[one.of[pair]!]! * otherTimes[other.of[pair]!]!;
    }
    yield chunk;
  }
}

/** Returns, for each group of `partition`, the value that its examples have in `values`. */
function perGroup(partition: Partition, values: Int32Array): Int32Array {
  const found = new Int32Array(partition.count);
  for (const [example, group] of partition.of.entries()) found[group] = values[example]!;
  return found;
}

/**
 * Returns, per example, the group with which it is drawn. Without `clusters` every example is a
 * cluster.
 * @param groups the number of groups
 */
export function groupsOf(
  clusters: Partition | null,
  examples: number,
  groups = drawnGroups(clusters?.count ?? examples),
): Int32Array {
  const of = new Int32Array(examples);
  for (let index = 0; index < examples; index++) of[index] = (clusters ? clusters.of[index]! : index) % groups;
  return of;
}
