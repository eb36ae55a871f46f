import type { Clusters } from '../estimate.js';
import type { CellTable } from '../label-cells.js';
import { Numbering } from '../numbering.js';
import { byGroup } from '../resampling/statistic.js';

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
  if (!clusters) {
    // a profile is a cell
    const frequencies = new Int32Array(table.cells);
    for (const cell of table.of) frequencies[cell]!++;
    return pack(
      Array.from(frequencies, (_, cell) => Int32Array.of(cell)),
      frequencies,
      table.of,
    );
  }
  const { members, end } = byGroup(clusters.of, clusters.count);
  const cells = members.map((example) => table.of[example]!);
  const contents: Int32Array[] = [];
  const frequencies: number[] = [];
  const numbers = new Numbering<string>();
  const member = new Int32Array(clusters.count);
  for (let cluster = 0; cluster < clusters.count; cluster++) {
    const own = cells.subarray(end[cluster], end[cluster + 1]);
    const number = numbers.of(own.length === 1 ? String(own[0]) : own.sort().join());
    if (number === contents.length) contents.push(own.slice());
    frequencies[number] = (frequencies[number] ?? 0) + 1;
    member[cluster] = number;
  }
  return pack(contents, frequencies, member);
}

/**
 * Packs the profiles as runs of equal cells. The most frequent come first, so that drawing profiles
 * one after the other ends early.
 */
function pack(contents: readonly Int32Array[], frequencies: ArrayLike<number>, member: Int32Array): Profiles {
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
