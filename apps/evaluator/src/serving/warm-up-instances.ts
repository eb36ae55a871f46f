import { Context } from '@assay/collection/rounds';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { activeDatasetVersions } from '@assay/evaluation/evaluations';
import type { Rng } from '@assay/kernel';
import type { BlobStore } from '@assay/storage';
import type { Task } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { datasetRows } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import { rowWindows } from '../run/data/row-windows.js';
import { isUnreadable } from '../run/data/unreadable-dataset.js';
import { type SampledDataset, timedSample } from '../run/latency/timed-sample.js';

type Inputs = Readonly<Record<string, unknown>>;

/** One white pixel. */
const IMAGE = {
  b64: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mP4//8/AAX+Av4zEpUUAAAAAElFTkSuQmCC',
  mediaType: 'image/png',
};
const PLACEHOLDERS = { text: 'This is a short text.', number: 0, image: IMAGE } as const;

/** Where the first instances for a live model come from. */
export interface WarmUpSources {
  readonly em: EntityManager;
  readonly blobs: BlobStore;
  readonly task: Task;
  readonly rng: Rng;
}

/**
 * Returns the first instances for a live model, as JSON: examples of the task's readable datasets,
 * drawn like those that warm up a model before it is scored. A model must not be able to tell from
 * them that people will ask it. Without a readable dataset, one instance is made from a context of
 * the open round.
 */
export async function warmUpInstances({ em, blobs, task, rng }: WarmUpSources): Promise<readonly string[]> {
  const versions = await em.find(DatasetVersion, {
    id: { $in: [...(await activeDatasetVersions(em, task.id))] },
    original: null,
    dataset: { visibility: { $in: ['public', 'inputs'] } },
  });
  const datasets = await Promise.all(versions.map((version) => firstWindow(task, version, blobs)));
  const { warmUp } = timedSample(datasets.flat(), rng);
  if (warmUp.length > 0) return warmUp;
  const context = await em.findOne(Context, { round: { task: task.id, state: 'open' }, active: true });
  return [placeholderInstance(task.definition, context?.content ?? {})];
}

/** Returns nothing if the dataset is unreadable or has no rows. */
async function firstWindow(task: Task, version: DatasetVersion, blobs: BlobStore): Promise<SampledDataset[]> {
  try {
    for await (const window of rowWindows(datasetRows(task.definition, blobs.open(version.content))))
      return [{ id: version.id, examples: version.examples, window }];
  } catch (error) {
    if (!isUnreadable(error)) throw error;
  }
  return [];
}

/**
 * Returns an instance as JSON: the given inputs, and a placeholder of the right type for each of
 * the others.
 */
export function placeholderInstance({ inputs }: Pick<TaskDefinition, 'inputs'>, given: Inputs): string {
  return JSON.stringify(Object.fromEntries(inputs.map(({ name, type }) => [name, given[name] ?? PLACEHOLDERS[type]])));
}
