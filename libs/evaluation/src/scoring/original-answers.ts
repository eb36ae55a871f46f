import { failure, type Failure } from '@assay/contracts/models';
import { Evaluation } from '../evaluations/evaluation.js';
import { examplesTitle } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';

/** The answers of a model to the originals of a perturbed version. */
export interface Answered {
  readonly kind: 'answered';
  /** Blob with the originals as JSON Lines. */
  readonly content: string;
  /** The number of originals whose inputs are those of an earlier one; null if it is not known. */
  readonly repeats: number | null;
  /** True for a collected round. */
  readonly collected: boolean;
  /** Blob with the predictions, in the order of the originals. */
  readonly predictions: string;
  /**
   * IDs of the dataset versions that the sandbox had seen before these answers; null if unknown.
   */
  readonly seen: readonly string[] | null;
}

/**
 * The answers to the originals are missing, so their variants cannot be scored. The failure says
 * why, and who is responsible.
 */
export interface Unanswered {
  readonly kind: 'missing';
  readonly failure: Failure;
}

/** Returns the answers to the originals of a perturbed cell. Null for a cell of originals. */
export async function originalAnswers(em: EntityManager, cell: Evaluation): Promise<Answered | Unanswered | null> {
  const { dataset, original } = cell.datasetVersion;
  if (!dataset.perturbation) return null;

  const answered = original
    ? await em.findOne(
        Evaluation,
        { specification: cell.specification.id, datasetVersion: original.id },
        { populate: ['datasetVersion.dataset'], refresh: true },
      )
    : null;
  if (answered?.predictions) {
    const { predictions, seen = null } = answered;
    const { content, repeats = null, dataset } = answered.datasetVersion;
    return { kind: 'answered', content, repeats, collected: dataset.collected, predictions, seen };
  }
  const why = answered?.failure ? ` ${answered.failure.message}` : '';
  const missing = failure(
    'original_not_scored',
    `There are no answers to the originals of ${examplesTitle(dataset)}.${why}`,
  );
  return { kind: 'missing', failure: { ...missing, fault: answered?.failure?.fault ?? missing.fault } };
}
