import { type Answer } from '@assay/contracts';
import { failure, type Failure } from '@assay/contracts/models';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { type Evaluation } from '@assay/evaluation/evaluations';
import { failEvaluation, finishRun, leaveOut, startEvaluation } from '@assay/evaluation/outcomes';
import { type RunLease } from '@assay/evaluation/runs';
import { failpoint } from '@assay/observability';
import { datasetRows, examplesTitle } from '@assay/tasks/examples';
import { originalAnswers, unreadableDataset } from '@assay/evaluation/scoring';
import { AnswersFile, type StageWork } from '@assay/evaluation/execution';
import { Supplement } from '@assay/submissions/supplements';
import { predictionLines } from './prediction-lines.js';
import type { PredictionsParts } from './predictions-admission.js';

/**
 * Stores the answers of an admitted predictions file and of the files that were added to it. No model
 * runs, so there are no costs.
 */
export function predictionsRun({ em, blobs, workFolder }: PredictionsParts): StageWork {
  return async (lease, material, signal) => {
    const { artifact, specification } = material;
    const accepted = { specification: specification.id, state: 'accepted', archivedAt: null } as const;
    const files = [artifact, ...(await em.fork().find(Supplement, accepted))].map(({ digest }) => digest);
    for (const cell of material.cells) {
      signal.throwIfAborted();
      try {
        await storeAnswers(lease, material.definition, files, cell);
      } catch (error) {
        const unreadable = unreadableDataset(error, cell.datasetVersion.dataset);
        if (!unreadable) throw error;
        await failEvaluation(lease, cell.id, unreadable);
      }
    }
    failpoint('before-finish', lease.runId);
    await finishRun(lease, { measures: null });
    failpoint('after-commit', lease.runId);
  };

  /** @param files the digests of the files of predictions */
  async function storeAnswers(
    lease: RunLease,
    definition: TaskDefinition,
    files: readonly string[],
    cell: Evaluation,
  ): Promise<void> {
    const { dataset, content } = cell.datasetVersion;
    const answers = await answersFor(definition, files, dataset.name);
    if (answers.size === 0) {
      await leaveOut(lease, cell.id, notCovered(cell));
      return;
    }

    const original = await originalAnswers(em.fork(), cell);
    if (original?.kind === 'missing') {
      await leaveOut(lease, cell.id, original.failure);
      return;
    }
    await startEvaluation(lease, cell.id);
    const file = await AnswersFile.create(lease, cell.id, definition.output, { blobs, workFolder });
    try {
      for await (const rows of datasetRows(definition, blobs.open(content))) {
        const found = rows.map(({ id }) => answers.get(id) ?? null);
        // admission has checked this, except for datasets that were added since
        if (found.includes(null)) {
          await leaveOut(lease, cell.id, notCovered(cell));
          return;
        }
        await file.append(found);
      }
      await file.store({ measures: null, seen: [], timed: [] });
    } finally {
      await file.discard();
    }
  }

  async function answersFor(
    definition: TaskDefinition,
    files: readonly string[],
    dataset: string,
  ): Promise<Map<string, Answer>> {
    const answers = new Map<string, Answer>();
    for (const digest of files) {
      for await (const lines of predictionLines(definition, blobs.open(digest), dataset)) {
        for (const { id, answer } of lines) answers.set(id, answer);
      }
    }
    return answers;
  }
}

function notCovered({ datasetVersion: { dataset } }: Evaluation): Failure {
  const lacking = `The model does not have a prediction for every example of ${examplesTitle(dataset)}`;
  if (dataset.visibility !== 'hidden') return failure('predictions_awaited', `${lacking}.`);
  return failure('predictions_awaited', `${lacking}, whose inputs are hidden.`);
}
