import type { TaskDefinition } from '@assay/contracts/tasks';
import { BLOB_STORE, type BlobStore } from '@assay/storage';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable } from '@nestjs/common';
import { type BenchmarkVersion } from '../benchmarks/benchmark-version.js';
import { readGold } from '../examples/example.js';
import { lineGroups } from '../examples/line-groups.js';
import type { Task } from '../task.js';
import { DatasetVersion } from './dataset.js';

/**
 * The largest number of distinct sets of gold labels that are counted. The reference rows compare
 * every set with every other one.
 */
const MOST_SETS = 1000;

/** Counts the gold of a dataset for the reference rows majority and random. */
export class GoldCounts {
  private readonly counts = new Map<string, number>();

  /** @param output other outputs than labels are not counted */
  constructor(private readonly output: TaskDefinition['output']['type']) {}

  /**
   * Counts an example.
   * @param gold its acceptable answers: the first of several labels represents it
   */
  add(gold: readonly string[]): void {
    const [first] = gold;
    if (first === undefined || (this.output !== 'label' && this.output !== 'labels')) return;
    const count = this.counts.get(first);
    // one more than are counted, so that too many are noticed
    if (count !== undefined || this.output === 'label' || this.counts.size <= MOST_SETS)
      this.counts.set(first, (count ?? 0) + 1);
  }

  /**
   * Returns the number of examples per gold label, or per set of gold labels (a sorted JSON list).
   * Null for other outputs; empty if there are more than 1,000 sets, whose rows are not computed.
   */
  result(): Readonly<Record<string, number>> | null {
    if (this.output !== 'label' && this.output !== 'labels') return null;
    return this.output === 'labels' && this.counts.size > MOST_SETS ? {} : Object.fromEntries(this.counts);
  }
}

/**
 * Counts the sets of gold labels of dataset versions from before they were counted when data is
 * received.
 */
@Injectable()
export class EarlierGoldCounts {
  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** Stores the counts of the datasets of a benchmark version that lack them. */
  async complete(em: EntityManager, task: Task, { datasets }: BenchmarkVersion): Promise<void> {
    const { output } = task.definition;
    if (output.type !== 'labels') return;
    const uncounted = { id: { $in: [...datasets] }, goldCounts: null, dataset: { perturbation: null } };
    for (const version of await em.find(DatasetVersion, uncounted)) {
      const counts = new GoldCounts(output.type);
      for await (const lines of lineGroups(this.blobs.open(version.content))) {
        for (const line of lines) {
          const gold = readGold(output, (JSON.parse(line) as Readonly<Record<string, unknown>>)[output.name]);
          if (typeof gold !== 'string') counts.add(gold);
        }
      }
      version.goldCounts = counts.result();
    }
    await em.flush();
  }
}
