import { Context } from '@assay/collection/rounds';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { activeDatasetVersions } from '@assay/evaluation/evaluations';
import type { Rng } from '@assay/kernel';
import type { BlobStore } from '@assay/storage';
import type { Task } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { datasetRows } from '@assay/tasks/examples';
import type { InputRow } from '../gateway/leased-run.js';
import type { EntityManager } from '@mikro-orm/postgresql';
import { rowWindows, shuffled } from '../run/data/row-windows.js';
import { isUnreadable } from '@assay/evaluation/scoring';
import { MOST_DRAWN, type SampledDataset, timedSample } from '../run/latency/timed-sample.js';

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
  const datasets: SampledDataset[] = [];
  // one after the other, and no more of each than can be drawn: a window may have 64 MB
  for (const version of versions) {
    const rows = await firstRows(task, version, blobs);
    const drawn = Array.from(shuffled(rows.length, rng).subarray(0, MOST_DRAWN), (place) => rows[place]!);
    if (drawn.length > 0) datasets.push({ id: version.id, examples: version.examples, window: { rows: drawn } });
  }
  const { warmUp } = timedSample(datasets, rng);
  if (warmUp.length > 0) return warmUp;
  const context = await em.findOne(Context, { round: { task: task.id, state: 'open' }, active: true });
  return [placeholderInstance(task.definition, context?.content ?? {})];
}

/** Returns the rows of the first window. None if the dataset is unreadable. */
async function firstRows(task: Task, version: DatasetVersion, blobs: BlobStore): Promise<readonly InputRow[]> {
  try {
    const rows = datasetRows(task.definition, blobs.open(version.content));
    for await (const window of rowWindows(rows)) return window.rows;
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
