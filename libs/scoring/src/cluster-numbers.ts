import { crossedClusters } from './crossed-clusters.js';
import type { Clusters, Partition } from './estimate.js';
import { integers } from './growable-column.js';

// bound once, because the hash calls it for every character
const { imul } = Math;

/**
 * Numbers the distinct values of a cluster field in order of appearance. It stores a 53-bit hash
 * instead of the text, so a value takes 24 bytes, however long it is. Among a million distinct
 * values, two share a hash, and therefore a cluster, with probability 6e-5.
 */
export class ClusterNumbers {
  private next = 0;
  private stored = 0;
  private hashes = new Float64Array(64);
  private numbers = new Int32Array(64);

  get count(): number {
    return this.next;
  }

  /** Returns the number of a value. Equal values have the same number. */
  of(value: string): number {
    if (this.stored * 2 >= this.hashes.length) this.widen();
    const hash = hash53(value);
    const slot = this.slotOf(hash);
    if (this.hashes[slot] === 0) {
      this.hashes[slot] = hash;
      this.numbers[slot] = this.next++;
      this.stored++;
    }
    return this.numbers[slot]!;
  }

  /** Returns a new number, for an example that shares its cluster with no other. */
  alone(): number {
    return this.next++;
  }

  private slotOf(hash: number): number {
    const mask = this.hashes.length - 1;
    let slot = hash & mask;
    while (this.hashes[slot] !== 0 && this.hashes[slot] !== hash) slot = (slot + 1) & mask;
    return slot;
  }

  private widen(): void {
    const { hashes, numbers } = this;
    this.hashes = new Float64Array(hashes.length * 2);
    this.numbers = new Int32Array(numbers.length * 2);
    for (let index = 0; index < hashes.length; index++) {
      if (hashes[index] === 0) continue;
      const slot = this.slotOf(hashes[index]!);
      this.hashes[slot] = hashes[index]!;
      this.numbers[slot] = numbers[index]!;
    }
  }
}

/** Returns the hash of a text, in [1, 2^53] (cyrb53, public domain). */
function hash53(text: string): number {
  let high = 0xdeadbeef;
  let low = 0x41c6ce57;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    high = imul(high ^ code, 2654435761);
    low = imul(low ^ code, 1597334677);
  }
  high = imul(high ^ (high >>> 16), 2246822507) ^ imul(low ^ (low >>> 13), 3266489909);
  low = imul(low ^ (low >>> 16), 2246822507) ^ imul(high ^ (high >>> 13), 3266489909);
  return 0x100000000 * (0x1fffff & low) + (high >>> 0) + 1;
}

/** The clusters of examples by one or two fields, in the order in which they are added. */
export class ClusterColumn {
  private readonly first = new OneColumn();
  private second: OneColumn | null = null;
  /** The clusters of the first `length` examples. */
  private known: { readonly length: number; readonly clusters: Clusters | null } | null = null;

  /** The number of examples. */
  get length(): number {
    return this.first.length;
  }

  /** Null if no example belongs to a named cluster. */
  get clusters(): Clusters | null {
    if (this.known?.length !== this.length) {
      const [one, other] = [this.first.partition, this.second?.partition];
      const clusters = one && other ? crossedClusters(one, other) : (one ?? other ?? null);
      this.known = { length: this.length, clusters };
    }
    return this.known.clusters;
  }

  /**
   * @param cluster absent or empty for an example that is a cluster of its own
   * @param second the cluster in a second way, likewise
   */
  add(cluster: string | null | undefined, second?: string | null): void {
    if (second && !this.second) {
      this.second = new OneColumn();
      while (this.second.length < this.first.length) this.second.add(null);
    }
    this.second?.add(second);
    this.first.add(cluster);
  }
}

/** The clusters of examples by one field. */
class OneColumn {
  private readonly numbers = new ClusterNumbers();
  private readonly column = integers();
  private isClustered = false;

  get length(): number {
    return this.column.length;
  }

  get partition(): Partition | null {
    return this.isClustered ? { of: this.column.view(), count: this.numbers.count } : null;
  }

  add(cluster: string | null | undefined): void {
    if (cluster) this.isClustered = true;
    this.column.push(cluster ? this.numbers.of(cluster) : this.numbers.alone());
  }
}
