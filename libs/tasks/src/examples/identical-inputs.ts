import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { clusterFields } from './cluster-fields.js';
import { type DatasetRow, datasetRows } from './dataset-rows.js';
import { SeenIds } from './seen-ids.js';

/**
 * Yields the rows of a dataset in its order. Examples with identical inputs are not independent, so
 * they form one cluster. If they are in different clusters, these become one. In a collected round
 * this concerns the contexts: it does not make two annotators one.
 * @param open opens the JSON Lines of the dataset, more than once if inputs repeat
 * @param repeats the number of examples whose inputs are those of an earlier one; null: not known
 * @param isCollected see `clusterFields`
 * @throws DatasetUnreadable
 */
export async function* clusteredRows(
  task: TaskDefinition,
  open: () => Readable,
  repeats: number | null,
  isCollected: boolean,
): AsyncGenerator<DatasetRow[]> {
  const clusters = repeats === 0 ? null : await mergedClusters(task, open, isCollected);
  for await (const rows of datasetRows(task, open(), isCollected)) {
    yield clusters ? rows.map((row) => ({ ...row, [joinedBy(row)]: clusters.of(row) })) : rows;
  }
}

/** Returns which clusters of a row are joined where inputs are identical. */
const joinedBy = (row: DatasetRow): 'cluster' | 'secondCluster' =>
  row.secondCluster === undefined ? 'cluster' : 'secondCluster';

/** Returns the clusters of the rows; null if no inputs repeat. */
async function mergedClusters(
  task: TaskDefinition,
  open: () => Readable,
  isCollected: boolean,
): Promise<MergedClusters | null> {
  const seen = new SeenIds();
  const repeated = new SeenIds();
  for await (const rows of datasetRows(task, open())) {
    for (const { instance } of rows) if (!seen.add(instance)) repeated.add(instance);
  }
  if (repeated.size === 0) return null;

  const clusters = new MergedClusters(repeated);
  if (clusterFields(task, isCollected).length === 0) return clusters;
  for await (const rows of datasetRows(task, open(), isCollected)) for (const row of rows) clusters.merge(row);
  return clusters;
}

/** Clusters of examples, joined where they have an example with identical inputs. */
class MergedClusters {
  /** Joined clusters, as a forest: by name, the name of another cluster of the same group. */
  private readonly parents = new Map<string, string>();

  constructor(private readonly repeated: SeenIds) {}

  of(row: DatasetRow): string | null {
    if (this.repeated.has(row.instance)) return this.root(nameOf(row.instance));
    const cluster = row[joinedBy(row)] ?? null;
    return cluster === null || cluster === '' ? cluster : this.root(cluster);
  }

  merge(row: DatasetRow): void {
    const cluster = row[joinedBy(row)] ?? '';
    if (cluster === '' || !this.repeated.has(row.instance)) return;
    const [one, other] = [this.root(nameOf(row.instance)), this.root(cluster)];
    if (one !== other) this.parents.set(one, other);
  }

  private root(name: string): string {
    const parent = this.parents.get(name);
    if (parent === undefined) return name;
    const root = this.root(parent);
    this.parents.set(name, root);
    return root;
  }
}

/** The name of the cluster of all examples with these inputs. No other cluster begins with NUL. */
const nameOf = (instance: string): string => `\0${hash('sha256', instance, 'base64').slice(0, 22)}`;
