import { ClusterNumbers } from './cluster-numbers.js';
import type { Clusters } from './estimate.js';
import { integers } from './growable-column.js';

/** The clusters of examples, in the order in which they are added. */
export class ClusterColumn {
  private readonly numbers = new ClusterNumbers();
  private readonly column = integers();
  private isClustered = false;

  /** The number of examples. */
  get length(): number {
    return this.column.length;
  }

  /** Null if no example belongs to a named cluster. */
  get clusters(): Clusters | null {
    return this.isClustered ? { of: this.column.view(), count: this.numbers.count } : null;
  }

  /** @param cluster absent or empty for an example that is a cluster of its own */
  add(cluster: string | null | undefined): void {
    if (cluster) this.isClustered = true;
    this.column.push(cluster ? this.numbers.of(cluster) : this.numbers.alone());
  }
}
