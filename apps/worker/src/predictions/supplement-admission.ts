import { failure, type Failure } from '@assay/contracts/models';
import type { RunMaterial } from '@assay/evaluation/execution';
import { Supplement } from '@assay/submissions/supplements';
import { supplementsEnd } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { coverageRefusal } from './predictions-coverage.js';
import { NamedIds } from './named-ids.js';
import { type PredictedIds, type PredictionsReading, readIds } from './predicted-ids.js';

/** The file that supplements are added to. */
export interface AdmittedFile {
  /** The names of all datasets of the task. */
  readonly names: ReadonlySet<string>;
  readonly base: PredictedIds;
  readonly reading: PredictionsReading;
}

/** A supplement that was checked. */
export interface CheckedSupplement {
  readonly id: string;
  /** Why it is refused; null if it is accepted. */
  readonly refusal: Failure | null;
}

/**
 * Checks the file that waits to be added to the predictions of a model; null if none waits. It must
 * cover every example of each dataset that it names, where no earlier file has predictions, and the
 * deadline of these datasets must not have passed.
 */
export async function checkSupplement(
  em: EntityManager,
  material: RunMaterial,
  { names, base, reading }: AdmittedFile,
): Promise<CheckedSupplement | null> {
  const { specification } = material;
  const waiting = await em.findOne(Supplement, { specification: specification.id, state: 'received' });
  if (!waiting) return null;
  const accepted = await em.find(Supplement, { specification: specification.id, state: 'accepted', archivedAt: null });
  const read = await readIds([waiting.digest], names, reading);
  if (!read.ok) return { id: waiting.id, refusal: read.refusal };
  const earlier = await readIds(
    accepted.map(({ digest }) => digest),
    names,
    reading,
  );
  if (!earlier.ok) throw new Error(`the accepted predictions of ${specification.id} are refused`);
  return { id: waiting.id, refusal: await refusalOf(em, material, read.ids, [base, earlier.ids], reading) };
}

async function refusalOf(
  em: EntityManager,
  { task, definition, cells }: RunMaterial,
  given: PredictedIds,
  earlier: readonly PredictedIds[],
  reading: PredictionsReading,
): Promise<Failure | null> {
  const repeated = new NamedIds();
  for (const [dataset, ids] of given) {
    for (const before of earlier) for (const id of ids) if (before.get(dataset)?.has(id)) repeated.add(dataset, id);
  }
  if (repeated.size > 0) return repeated.failure('predictions_repeated', REPEATED);

  const named = cells.map((cell) => cell.datasetVersion).filter(({ dataset }) => given.has(dataset.name));
  if (named.length === 0) {
    return failure('predictions_incomplete', 'The file has no predictions for a dataset that this model lacks.');
  }
  const ends = await supplementsEnd(em, { id: task.id, definition });
  const late = named.find(({ dataset }) => (ends.get(dataset.id)?.getTime() ?? Infinity) < Date.now());
  if (late) {
    const until = ends.get(late.dataset.id)!.toISOString();
    return failure('predictions_late', `Predictions for "${late.dataset.name}" could be added until ${until}.`);
  }
  return coverageRefusal(named, given, reading, earlier);
}

const REPEATED = [
  'prediction is for an example that an earlier file has',
  'predictions are for examples that an earlier file has',
] as const;
