import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type Answer } from '@assay/contracts';
import { failure, type Failure } from '@assay/contracts/models';
import { type Evaluation } from '@assay/evaluation/evaluations';
import { failEvaluation, finishRun, leaveOut, recordAnswers, startEvaluation } from '@assay/evaluation/outcomes';
import { type RunLease } from '@assay/evaluation/runs';
import { failpoint } from '@assay/observability';
import { PredictionsWriter } from '@assay/storage';
import { datasetRows, examplesTitle } from '@assay/tasks/examples';
import { originalAnswers, unreadableDataset } from '@assay/evaluation/scoring';
import type { RunMaterial, StageWork } from '@assay/evaluation/execution';
import { predictionLines } from './prediction-lines.js';
import type { PredictionsParts } from './predictions-admission.js';

/** Stores the answers of an admitted predictions file. No model runs, so there are no costs. */
export function predictionsRun({ em, blobs, workFolder }: PredictionsParts): StageWork {
  return async (lease, material, signal) => {
    for (const cell of material.cells) {
      signal.throwIfAborted();
      try {
        await storeAnswers(lease, material, cell);
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

  async function storeAnswers(lease: RunLease, material: RunMaterial, cell: Evaluation): Promise<void> {
    const { definition } = material;
    const { dataset, content } = cell.datasetVersion;
    const answers = await answersFor(material, dataset.name);
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
    const folder = join(workFolder, lease.runId);
    await mkdir(folder, { recursive: true });
    const file = await PredictionsWriter.create(join(folder, cell.id), {
      labels: definition.output.type === 'label' ? definition.output.labels.length : 0,
    });
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
      await file.finish();
      const { digest: predictions } = await blobs.adopt(file.path);
      failpoint('before-commit', lease.runId);
      await recordAnswers(lease, cell.id, { predictions, invalid: 0, measures: null, seen: [], timed: [] });
      failpoint('after-commit', lease.runId);
    } finally {
      await file.discard();
    }
  }

  async function answersFor({ definition, artifact }: RunMaterial, dataset: string): Promise<Map<string, Answer>> {
    const answers = new Map<string, Answer>();
    for await (const lines of predictionLines(definition.output, blobs.open(artifact.digest), dataset)) {
      for (const { id, answer } of lines) answers.set(id, answer);
    }
    return answers;
  }
}

const notCovered = ({ datasetVersion: { dataset } }: Evaluation): Failure =>
  failure(
    'predictions_incomplete',
    `The file does not have a prediction for every example of ${examplesTitle(dataset)}.`,
  );
