import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Answer } from '@assay/contracts';
import type { Visibility } from '@assay/contracts/datasets';
import { TaskDefinition } from '@assay/contracts/tasks';
import type { AnswersToScore } from '@assay/evaluation/scoring';
import { type LocalBlobStore, PredictionsWriter } from '@assay/storage';

const TASK = TaskDefinition.parse({
  slug: 'task',
  name: 'Task',
  inputs: [{ name: 'text', type: 'text' }],
  output: { name: 'label', type: 'label', labels: ['no', 'yes'] },
  performance: 'accuracy',
});

export interface GivenAnswers {
  readonly gold: readonly string[];
  /** Default: all of them are right. */
  readonly answers?: readonly (Answer | null)[];
  readonly timed?: readonly number[];
  /** The models that each example was written against. Default: not known. */
  readonly targets?: readonly (readonly string[])[];
  /** The target models that are the model, or in its lineage. Default: none. */
  readonly against?: readonly string[];
  readonly visibility?: Visibility;
  /** Default: false. */
  readonly collected?: boolean;
  /** More fields of each example. */
  readonly fields?: (index: number) => object;
}

/** Stores a dataset and the answers of a model to it. */
export async function answersToScore(
  blobs: LocalBlobStore,
  folder: string,
  { gold, answers = gold.map((text) => ({ text })), timed = [], ...more }: GivenAnswers,
): Promise<AnswersToScore> {
  const { visibility = 'public', collected = false, fields = () => ({}), ...given } = more;
  const lines = gold.map((label, index) =>
    JSON.stringify({
      ...fields(index),
      id: `e${index}`,
      text: `text ${index}`,
      label,
      targets: given.targets?.[index],
    }),
  );
  const { digest: content } = await blobs.put(Readable.from([Buffer.from(`${lines.join('\n')}\n`)]));
  const file = await PredictionsWriter.create(join(folder, 'predictions'), { labels: 2 });
  await file.append(answers);
  await file.finish();
  const { digest: predictions } = await blobs.adopt(file.path);
  return {
    task: TASK,
    dataset: { name: 'riddles', visibility, collected },
    version: {
      digest: 'a'.repeat(64),
      transforms: null,
      content,
      examples: gold.length,
      repeats: 0,
      dataset: { perturbation: null },
    },
    predictions,
    original: null,
    against: given.against ?? [],
    timed,
  };
}
