import { Context } from '@assay/collection/rounds';
import { MOST_WARM_UP } from '@assay/contracts/serving';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { activeDatasetVersions } from '@assay/evaluation/evaluations';
import { isUnreadable } from '@assay/evaluation/scoring';
import type { Rng } from '@assay/kernel';
import type { BlobStore } from '@assay/storage';
import type { Task } from '@assay/tasks';
import { DatasetVersion } from '@assay/tasks/datasets';
import { datasetRows } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The rows of a dataset from which instances are drawn: at most this many, and this many UTF-16 units. */
const DRAWN_ROWS = 8_192;
const DRAWN_TEXT = 32_000_000;

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
 * Returns at most `MOST_WARM_UP` instances for a live model, as JSON: different examples of the task's
 * readable datasets, as a model gets before it is scored. A model must not be able to tell from them
 * that people will ask it. Without a readable dataset, instances are made from contexts of the open
 * round: what people write is replaced by sentences of other contexts.
 */
export async function warmUpInstances({ em, blobs, task, rng }: WarmUpSources): Promise<readonly string[]> {
  const versions = await em.find(DatasetVersion, {
    id: { $in: [...(await activeDatasetVersions(em, task.id))] },
    original: null,
    dataset: { visibility: { $in: ['public', 'inputs'] } },
  });
  const total = versions.reduce((sum, { examples }) => sum + examples, 0);
  const drawn = new Set<string>();
  for (const version of versions) {
    const instances = await firstInstances(task, version, blobs);
    const most = Math.ceil((MOST_WARM_UP * version.examples) / total);
    for (const instance of sample(instances, most, rng)) drawn.add(instance);
  }
  const instances = sample([...drawn], MOST_WARM_UP, rng);
  if (instances.length > 0) return instances;
  const ofOpenRound = { round: { task: task.id, state: 'open' as const }, active: true };
  const contexts = await em.find(Context, ofOpenRound, { orderBy: { draw: 'asc' }, limit: MOST_WARM_UP });
  return instancesOfContexts(task.definition, contexts, rng);
}

/**
 * Returns an instance as JSON for each context. Inputs that the context does not give get a sentence of
 * any of the contexts if they are texts, and a placeholder otherwise. Without contexts, returns one
 * instance of placeholders.
 */
export function instancesOfContexts(
  { inputs }: Pick<TaskDefinition, 'inputs'>,
  contexts: readonly Pick<Context, 'content'>[],
  rng: Rng,
): readonly string[] {
  const texts = contexts.flatMap(({ content }) => Object.values(content).filter((value) => typeof value === 'string'));
  const sentences = texts.flatMap(sentencesOf);
  const instance = (content: Inputs): string =>
    JSON.stringify(
      Object.fromEntries(
        inputs.map(({ name, type }) => {
          const sentence = type === 'text' && sentences.length > 0 ? sentences[rng.below(sentences.length)] : undefined;
          return [name, content[name] ?? sentence ?? PLACEHOLDERS[type]];
        }),
      ),
    );
  return contexts.length > 0 ? contexts.map(({ content }) => instance(content)) : [instance({})];
}

const sentencesOf = (text: string): string[] =>
  Array.from(new Intl.Segmenter(undefined, { granularity: 'sentence' }).segment(text), ({ segment }) =>
    segment.trim(),
  ).filter((sentence) => sentence !== '');

/** Returns the instances at the begin of a dataset. None if it is unreadable. */
async function firstInstances(task: Task, version: DatasetVersion, blobs: BlobStore): Promise<readonly string[]> {
  const instances: string[] = [];
  let text = 0;
  try {
    for await (const rows of datasetRows(task.definition, blobs.open(version.content))) {
      for (const { instance } of rows) {
        instances.push(instance);
        text += instance.length;
        if (instances.length === DRAWN_ROWS || text > DRAWN_TEXT) return instances;
      }
    }
    return instances;
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    return [];
  }
}

/** Returns up to `count` of the values in a random order, each at most once. */
function sample<T>(values: readonly T[], count: number, rng: Rng): T[] {
  const left = [...values];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const place = rng.below(left.length);
    const [value] = left.splice(place, 1, left.at(-1)!);
    left.pop();
    return value!;
  });
}
