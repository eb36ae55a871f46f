import { failure, type Failure } from '@assay/contracts/models';
import { Evaluation } from '@assay/evaluation/evaluations';
import { failRun, recordAdmission } from '@assay/evaluation/outcomes';
import type { BlobStore } from '@assay/storage';
import { Dataset, type DatasetVersion } from '@assay/tasks/datasets';
import { datasetRows } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import { failpoint } from '@assay/observability';
import type { RunMaterial, StageWork } from '@assay/evaluation/execution';
import { HeldPredictions } from './held-predictions.js';
import { MalformedLine, predictionLines } from './prediction-lines.js';
import { NamedIds } from './predictions-coverage.js';

export interface PredictionsParts {
  readonly em: EntityManager;
  readonly blobs: BlobStore;
  readonly workFolder: string;
}

/**
 * Checks that a predictions file covers every example of each scoring dataset whose inputs are
 * readable, and of every other dataset that it names, and nothing else. A refusal concerns the task
 * only: the same file may suit another task, so the artifact stays unchanged.
 */
export function predictionsAdmission({ em, blobs }: PredictionsParts): StageWork {
  return async (lease, material, signal) => {
    const refusal = await check(em.fork(), blobs, material, signal);
    failpoint('before-admission', lease.runId);
    await (refusal ? failRun(lease, refusal) : recordAdmission(lease, null));
    failpoint('after-admission', lease.runId);
  };
}

async function check(
  em: EntityManager,
  blobs: BlobStore,
  material: RunMaterial,
  signal: AbortSignal,
): Promise<Failure | null> {
  const { task, definition, artifact, specification, cells } = material;
  const names = new Set((await em.find(Dataset, { task: task.id })).map(({ name }) => name));
  let given: ReadonlyMap<string, Set<string>>;
  try {
    given = await readIds(material, blobs, names, signal);
  } catch (error) {
    if (error instanceof MalformedLine) return failure('predictions_malformed', error.message);
    throw error;
  }
  const strangers = new NamedIds();
  for (const [dataset, ids] of given) if (!names.has(dataset)) for (const id of ids) strangers.add(dataset, id);
  if (strangers.size > 0) return strangers.failure('predictions_unknown', NO_SUCH_DATASET);

  // the file need not cover datasets that were added after it: the cells it has stay valid
  const before = await em.count(Evaluation, { specification: specification.id, state: 'scored' });
  if (before > 0) return null;

  const missing = new NamedIds();
  const unknown = new NamedIds();
  // uncovered perturbed pairs are left out, and are no reason for a refusal
  const versions = cells.map((cell) => cell.datasetVersion).filter((version) => !version.dataset.perturbation);
  const concerned = versions.filter((version) => isRequired(version) || given.has(version.dataset.name));
  if (concerned.length === 0) {
    return failure(
      'predictions_incomplete',
      `The file (${artifact.size} bytes) has no predictions for any dataset of the task.`,
    );
  }
  let hidden: string | null = null;
  for (const version of concerned) {
    const { name, visibility } = version.dataset;
    const ids = given.get(name) ?? new Set<string>();
    for await (const rows of datasetRows(definition, blobs.open(version.content))) {
      signal.throwIfAborted();
      for (const { id } of rows) {
        if (ids.delete(id)) continue;
        // only the task owner may know the IDs of a hidden dataset
        if (visibility === 'hidden') hidden ??= name;
        else missing.add(name, id);
      }
    }
    for (const id of ids) unknown.add(name, id);
  }
  if (missing.size > 0) return missing.failure('predictions_incomplete', MISSING);
  if (hidden !== null) return failure('predictions_incomplete', hiddenIncomplete(hidden));
  return unknown.size > 0 ? unknown.failure('predictions_unknown', UNKNOWN) : null;
}

const MISSING = ['prediction is missing', 'predictions are missing'] as const;
const hiddenIncomplete = (dataset: string): string =>
  `The file does not have a prediction for every example of "${dataset}". The dataset is hidden, so the missing IDs are not listed.`;
const UNKNOWN = [
  'prediction has an ID that is not in its dataset',
  'predictions have IDs that are not in their dataset',
] as const;
const NO_SUCH_DATASET = [
  'prediction names a dataset that the task does not have',
  'predictions name datasets that the task does not have',
] as const;

const isRequired = ({ dataset }: DatasetVersion): boolean =>
  dataset.use === 'scoring' && dataset.visibility !== 'hidden';

/**
 * Returns the IDs by dataset. Of names that are no dataset of the task only the first IDs are
 * stored.
 *
 * @throws MalformedLine
 */
async function readIds(
  { definition, artifact }: RunMaterial,
  blobs: BlobStore,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Set<string>>> {
  const given = new Map<string, Set<string>>();
  const held = new HeldPredictions();
  for await (const lines of predictionLines(definition, blobs.open(artifact.digest))) {
    signal.throwIfAborted();
    for (const line of lines) {
      const { number, dataset, id } = line;
      if (names.has(dataset)) held.add(line);
      const ids = given.get(dataset) ?? new Set<string>();
      if (ids.has(id)) throw new MalformedLine(number, `is a second prediction for "${id}" of ${dataset}`);
      if (ids.size < MAX_UNKNOWN_IDS || names.has(dataset)) ids.add(id);
      if (given.size < MAX_DATASETS) given.set(dataset, ids);
    }
  }
  return given;
}

/** Limits the memory that an invalid file can take. */
const MAX_UNKNOWN_IDS = 1_000;
const MAX_DATASETS = 10_000;
