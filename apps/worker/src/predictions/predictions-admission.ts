import { failure, type Failure } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { failRun, recordAdmission } from '@assay/evaluation/outcomes';
import type { BlobStore } from '@assay/storage';
import { Supplement } from '@assay/submissions/supplements';
import { Dataset, type DatasetVersion } from '@assay/tasks/datasets';
import type { EntityManager } from '@mikro-orm/postgresql';
import { failpoint } from '@assay/observability';
import type { RunMaterial, StageWork } from '@assay/evaluation/execution';
import { type PredictedIds, type PredictionsReading, readIds } from './predicted-ids.js';
import { coverageRefusal } from './predictions-coverage.js';
import { checkSupplement } from './supplement-admission.js';

export interface PredictionsParts {
  readonly em: EntityManager;
  readonly blobs: BlobStore;
  readonly workFolder: string;
}

/**
 * Checks that a predictions file covers every example of each scoring dataset whose inputs are
 * readable, and of every other dataset that it names, and nothing else. A refusal concerns the task
 * only: the same file may suit another task, so the artifact stays unchanged. Then accepts or refuses
 * the file that waits to be added to it; a refused one leaves the model as it is.
 */
export function predictionsAdmission({ em, blobs }: PredictionsParts): StageWork {
  return async (lease, material, signal) => {
    const { task, definition, artifact } = material;
    const names = new Set((await em.fork().find(Dataset, { task: task.id })).map(({ name }) => name));
    const reading = { definition, blobs, signal };
    const read = await readIds([artifact.digest], names, reading);
    const refusal = read.ok ? await uncovered(em.fork(), material, read.ids, reading) : read.refusal;
    const supplement =
      read.ok && !refusal ? await checkSupplement(em.fork(), material, { names, base: read.ids, reading }) : null;
    failpoint('before-admission', lease.runId);
    if (refusal) await failRun(lease, refusal);
    else {
      await recordAdmission(lease, null, async (tx) => {
        if (!supplement) return;
        const { id, refusal: failure } = supplement;
        await tx.nativeUpdate(Supplement, { id }, { state: failure ? 'refused' : 'accepted', failure });
      });
    }
    failpoint('after-admission', lease.runId);
  };
}

/** Returns why a file with these IDs is refused; null if it covers what it must. */
async function uncovered(
  em: EntityManager,
  { artifact, specification, cells }: RunMaterial,
  given: PredictedIds,
  reading: PredictionsReading,
): Promise<Failure | null> {
  // the file need not cover datasets that were added after it: the cells it has stay valid
  const before = await em.count(Evaluation, { specification: specification.id, state: 'scored' });
  if (before > 0) return null;

  // uncovered perturbed pairs are left out, and are no reason for a refusal
  const versions = cells.map((cell) => cell.datasetVersion).filter((version) => !version.dataset.perturbation);
  const concerned = versions.filter((version) => isRequired(version) || given.has(version.dataset.name));
  if (concerned.length === 0) {
    return failure(
      'predictions_incomplete',
      `The file (${artifact.size} bytes) has no predictions for any dataset of the task.`,
    );
  }
  return coverageRefusal(concerned, given, reading);
}

const isRequired = ({ dataset }: DatasetVersion): boolean =>
  dataset.use === 'scoring' && dataset.visibility !== 'hidden';
