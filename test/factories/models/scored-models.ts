import { join } from 'node:path';
import type { Answer } from '@assay/contracts';
import { Evaluation } from '@assay/evaluation/evaluations';
import { LocalBlobStore, PredictionsWriter } from '@assay/storage';
import { Model } from '@assay/submissions';
import { type DatasetRow, datasetRows } from '@assay/tasks/examples';
import { scoreWaiting } from '../worlds/answer-scoring.js';
import type { ApiWorld } from '../worlds/api-world.js';

export interface ScoredModel {
  readonly slug: string;
  readonly name: string;
  readonly token: string;
  readonly publish?: boolean;
  /** Determines the artifact; default: the name. */
  readonly bytes?: string;
  /**
   * Returns the answer to a row. If any row of a dataset has none, the model is not scored on that
   * dataset.
   */
  readonly answer: (dataset: string, row: DatasetRow) => Answer | undefined;
}

/**
 * Submits a model over HTTP and scores its evaluations with the worker's code, including the file
 * of predictions.
 */
export async function scoredModel(world: ApiWorld, given: ScoredModel): Promise<string> {
  const { slug, name, token, publish = true, bytes = name, answer } = given;
  const { body } = await world.call('POST', `/tasks/${slug}/models`, {
    token,
    body: { name, kind: 'container', publish },
  });
  const id = body.id as string;
  await world.call('PUT', `/models/${id}/artifact`, { token, body: bytes });
  await scoreQueued(world, id, answer);
  return id;
}

/** Answers the queued evaluations of a model, and scores them as a worker does. */
export async function scoreQueued(world: ApiWorld, id: string, answer: ScoredModel['answer']): Promise<void> {
  const em = world.orm.em.fork();
  const blobs = new LocalBlobStore(join(world.home, 'blobs'));
  const model = await em.findOneOrFail(Model, id, { populate: ['task'] });
  const cells = await em.find(
    Evaluation,
    { specification: model.specification!.id, state: 'queued' },
    { populate: ['datasetVersion.dataset'] },
  );
  for (const cell of cells) {
    const version = cell.datasetVersion;
    const { output } = model.task.definition;
    const labels = output.type === 'label' ? output.labels.length : 0;
    const file = await PredictionsWriter.create(join(world.home, `${cell.id}.parquet`), { labels });
    let answered = 0;
    for await (const rows of datasetRows(model.task.definition, blobs.open(version.content))) {
      const answers = rows.flatMap((row) => answer(version.dataset.name, row) ?? []);
      if (answers.length < rows.length) break;
      await file.append(answers);
      answered += rows.length;
    }
    if (answered < version.examples) {
      await file.discard();
      continue;
    }
    await file.finish();
    const { digest } = await blobs.adopt(file.path);
    // as if each dataset had run in its own sandbox
    Object.assign(cell, { predictions: digest, invalid: file.invalid, seen: [version.id] });
  }
  await em.flush();
  await scoreWaiting(em, blobs);
}
