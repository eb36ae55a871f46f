import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { type DatasetRow, datasetRows } from './dataset-rows.js';
import { SeenIds } from './seen-ids.js';

/**
 * Yields the rows of a dataset in its order. Examples with identical inputs are not independent, so
 * they form one cluster. If they are in different clusters of the task, these become one.
 * @param open opens the JSON Lines of the dataset, more than once if inputs repeat
 * @param repeats the number of examples whose inputs are those of an earlier one; null: not known
 * @throws DatasetUnreadable
 */
export async function* clusteredRows(
  task: TaskDefinition,
  open: () => Readable,
  repeats: number | null,
): AsyncGenerator<DatasetRow[]> {
  const clusters = repeats === 0 ? null : await mergedClusters(task, open);
  for await (const rows of datasetRows(task, open())) {
    yield clusters ? rows.map((row) => ({ ...row, cluster: clusters.of(row) })) : rows;
  }
}

/** Returns the clusters of the rows; null if no inputs repeat. */
async function mergedClusters(task: TaskDefinition, open: () => Readable): Promise<MergedClusters | null> {
  const seen = new SeenIds();
  const repeated = new SeenIds();
  for await (const rows of datasetRows(task, open())) {
    for (const { instance } of rows) if (!seen.add(instance)) repeated.add(instance);
  }
  if (repeated.size === 0) return null;

  const clusters = new MergedClusters(repeated);
  if (task.cluster === undefined) return clusters;
  for await (const rows of datasetRows(task, open())) for (const row of rows) clusters.merge(row);
  return clusters;
}

/** The clusters of a task, joined where they have an example with identical inputs. */
class MergedClusters {
  /** Joined clusters, as a forest: by name, the name of another cluster of the same group. */
  private readonly parents = new Map<string, string>();

  constructor(private readonly repeated: SeenIds) {}

  of({ instance, cluster }: DatasetRow): string | null {
    if (this.repeated.has(instance)) return this.root(nameOf(instance));
    return cluster === null || cluster === '' ? cluster : this.root(cluster);
  }

  merge({ instance, cluster }: DatasetRow): void {
    if (cluster === null || cluster === '' || !this.repeated.has(instance)) return;
    const [one, other] = [this.root(nameOf(instance)), this.root(cluster)];
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

/** The name of the cluster of all examples with these inputs. No cluster of a task begins with NUL. */
const nameOf = (instance: string): string => `\0${hash('sha256', instance, 'base64').slice(0, 22)}`;
