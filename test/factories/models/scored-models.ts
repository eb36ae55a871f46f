import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Answer } from '@assay/contracts';
import { Evaluation } from '@assay/evaluation/evaluations';
import { LocalBlobStore } from '@assay/storage';
import { Model } from '@assay/submissions';
import { type DatasetRow, datasetRows } from '@assay/tasks/examples';
import { DatasetScore } from '@assay/evaluation/scoring';
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
 * Submits a model over HTTP and scores its evaluations with the evaluator's code, including the
 * file of predictions.
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

/** Scores the queued evaluations of a model, as the evaluator does. */
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
    const path = join(world.home, `${randomUUID()}.parquet`);
    const score = await DatasetScore.create({ task: model.task.definition, version, blobs, path });
    let answered = 0;
    for await (const rows of datasetRows(model.task.definition, blobs.open(version.content))) {
      const answers = rows.flatMap((row) => answer(version.dataset.name, row) ?? []);
      if (answers.length < rows.length) break;
      await score.add(rows, answers);
      answered += rows.length;
    }
    if (answered < version.examples) {
      await score.discard();
      continue;
    }
    const computed = await score.finish();
    const { digest } = await blobs.adopt(path);
    // as if each dataset had run in its own sandbox
    const seen = [version.id];
    Object.assign(cell, { ...computed, state: 'scored', predictions: digest, seen, finishedAt: new Date() });
  }
  await em.flush();
}
