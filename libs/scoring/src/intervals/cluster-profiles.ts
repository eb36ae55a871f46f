import type { Clusters } from '../estimate.js';
import type { CellTable } from '../label-cells.js';

/**
 * The distinct contents of clusters. Profile k has `amount[e]` examples of cell `cell[e]` for each
 * e in [start[k], start[k+1]).
 */
export interface Profiles {
  readonly clusters: number;
  readonly start: Int32Array;
  readonly cell: Int32Array;
  readonly amount: Int32Array;
  /** Per profile, the number of clusters that have it; the most frequent profile comes first. */
  readonly multiplicity: Int32Array;
  /** Per cluster, its profile. */
  readonly member: Int32Array;
}

/** Returns the profiles of a group's clusters. Without `clusters` every example is a cluster. */
export function clusterProfiles(table: CellTable, clusters: Clusters | null): Profiles {
  const contents: Int32Array[] = [];
  const frequencies: number[] = [];
  const numbers = new Map<string, number>();
  const units = clusters?.count ?? table.of.length;
  const member = new Int32Array(units);

  const place = (cluster: number, cells: Int32Array): void => {
    const key = cells.length === 1 ? String(cells[0]) : cells.sort().join();
    let number = numbers.get(key);
    if (number === undefined) {
      number = contents.push(cells.slice()) - 1;
      frequencies.push(0);
      numbers.set(key, number);
    }
    frequencies[number]!++;
    member[cluster] = number;
  };
  if (clusters) eachCluster(table.of, clusters, place);
  else placeExamples(table, contents, frequencies, member);

  return pack(contents, frequencies, member);
}

/** Fills in the profiles for a group without clusters, where a profile is a cell. */
function placeExamples(table: CellTable, contents: Int32Array[], frequencies: number[], member: Int32Array): void {
  for (let cell = 0; cell < table.cells; cell++) {
    contents.push(Int32Array.of(cell));
    frequencies.push(0);
  }
  for (let index = 0; index < table.of.length; index++) {
    const cell = table.of[index]!;
    frequencies[cell]!++;
    member[index] = cell;
  }
}

/**
 * Calls `visit` for each cluster with the cells of its examples. Uses a counting sort by cluster.
 */
function eachCluster(of: Int32Array, clusters: Clusters, visit: (cluster: number, cells: Int32Array) => void): void {
  const end = new Int32Array(clusters.count + 1);
  for (let index = 0; index < of.length; index++) end[clusters.of[index]! + 1]!++;
  for (let cluster = 0; cluster < clusters.count; cluster++) end[cluster + 1]! += end[cluster]!;

  const next = end.slice();
  const sorted = new Int32Array(of.length);
  for (let index = 0; index < of.length; index++) sorted[next[clusters.of[index]!]!++] = of[index]!;
  for (let cluster = 0; cluster < clusters.count; cluster++) {
    visit(cluster, sorted.subarray(end[cluster], end[cluster + 1]));
  }
}

/**
 * Packs the profiles as runs of equal cells. The most frequent come first, so that drawing profiles
 * one after the other ends early.
 */
function pack(contents: readonly Int32Array[], frequencies: readonly number[], member: Int32Array): Profiles {
  const order = Array.from(contents.keys()).sort((a, b) => frequencies[b]! - frequencies[a]! || a - b);
  const place = new Int32Array(order.length);
  const start = new Int32Array(order.length + 1);
  const cell: number[] = [];
  const amount: number[] = [];
  for (const [position, profile] of order.entries()) {
    place[profile] = position;
    let previous = -1;
    for (const each of contents[profile]!) {
      if (each === previous) amount[amount.length - 1]!++;
      else amount[cell.push(each) - 1] = 1;
      previous = each;
    }
    start[position + 1] = cell.length;
  }
  return {
    clusters: member.length,
    start,
    cell: Int32Array.from(cell),
    amount: Int32Array.from(amount),
    multiplicity: Int32Array.from(order, (profile) => frequencies[profile]!),
    member: member.map((profile) => place[profile]!),
  };
}
