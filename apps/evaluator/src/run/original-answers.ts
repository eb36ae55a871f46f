import { failure, type Failure } from '@assay/contracts';
import { Evaluation } from '@assay/evaluation';
import { examplesTitle } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** What a model answered on the originals of a perturbed version. */
export interface Answered {
  readonly kind: 'answered';
  /** Blob of the originals as JSON Lines. */
  readonly content: string;
  /** Blob of the predictions file, in the order of the originals. */
  readonly predictions: string;
  /** Ids of the dataset versions that the sandbox had seen which gave them; null: nobody knows. */
  readonly seen: readonly string[] | null;
}

/** Without answers to the originals nothing can be said of their variants: why there are none, and whose fault it is. */
export interface Unanswered {
  readonly kind: 'missing';
  readonly failure: Failure;
}

/** Of the evaluation of an original: null. */
export async function originalAnswers(em: EntityManager, cell: Evaluation): Promise<Answered | Unanswered | null> {
  const { dataset, original } = cell.datasetVersion;
  if (!dataset.perturbation) return null;

  const answered = original
    ? await em
        .fork()
        .findOne(
          Evaluation,
          { specification: cell.specification.id, datasetVersion: original.id },
          { populate: ['datasetVersion'] },
        )
    : null;
  if (answered?.predictions) {
    const { predictions, seen = null } = answered;
    return { kind: 'answered', content: answered.datasetVersion.content, predictions, seen };
  }
  const why = answered?.failure ? ` ${answered.failure.message}` : '';
  const missing = failure(
    'original_not_scored',
    `There are no answers to the originals of ${examplesTitle(dataset)}.${why}`,
  );
  return { kind: 'missing', failure: { ...missing, fault: answered?.failure?.fault ?? missing.fault } };
}
