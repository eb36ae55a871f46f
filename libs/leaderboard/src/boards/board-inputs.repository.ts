import type { Evaluation } from '@assay/evaluation/evaluations';
import { preparedRows, Repository } from '@assay/persistence/queries';
import { type Model, publicModelSql } from '@assay/submissions';
import type { Artifact } from '@assay/submissions/artifacts';

/** A public model, as boards need it. */
export interface SubmittedModel extends Pick<Model, 'id' | 'name' | 'kind' | 'state' | 'failure'> {
  readonly owner: string;
  readonly ownerId: string;
  /** The ID of its run specification. */
  readonly specification: string;
  /** ID of the model if its results are its own, because predictions were added to it. */
  readonly entry: string | null;
  readonly acceptedAt: Date | null;
  readonly artifact: Pick<Artifact, 'digest' | 'size' | 'createdAt'> & {
    /** Identifies what it computes. Null if that is not known. */
    readonly contentDigest: string | null;
  };
}

/** An evaluation, as boards need it: without slices and reliability curves, which are large. */
export interface BoardEvaluation extends Pick<
  Evaluation,
  | 'id'
  | 'state'
  | 'failure'
  | 'metrics'
  | 'measures'
  | 'sliceSpreads'
  | 'perturbed'
  | 'rest'
  | 'resamples'
  | 'predictions'
  | 'scoringKey'
> {
  /** The ID of the run specification. */
  readonly specification: string;
  /** The ID of the dataset version. */
  readonly version: string;
  readonly finishedAt: Date | null;
}

/** A model of a board with a text that differs after every change to the rows that it is computed from. */
export interface ModelVersion {
  readonly id: string;
  readonly version: string;
}

type Stored<T> = { [Key in keyof T]: T[Key] extends Date | null ? string | Date | null : T[Key] };

type SubmittedRow = Stored<Omit<SubmittedModel, 'artifact'>> & {
  readonly digest: string;
  readonly contentDigest: string | null;
  readonly size: string | number;
  readonly createdAt: string | Date;
};

/** The rows that boards are computed from. */
export class BoardInputsRepository extends Repository {
  /**
   * Returns the models on the board of a task, sorted by ID. The version of a model has the transactions that
   * last wrote its row, its artifact and its evaluations (`xmin`).
   * @param versions the IDs of the dataset versions of the board
   */
  models(task: string, versions: readonly string[]): Promise<ModelVersion[]> {
    return preparedRows(
      this.em,
      `select model.id, concat_ws(' ', model.xmin, artifact.xmin, specification.id, owner.username, cells.written) as version
         from model
         join run_specification as specification on specification.id = model.specification_id
         join artifact on artifact.id = specification.artifact_id
         join user_account as owner on owner.id = model.owner_id
         left join (
           select specification_id, string_agg(dataset_version_id || ' ' || xmin, ' ' order by dataset_version_id) as written
             from evaluation where dataset_version_id = any($2::uuid[]) group by specification_id
         ) as cells on cells.specification_id = specification.id
        where model.task_id = $1 and model.state not in ('awaiting-artifact', 'cancelled') and ${publicModelSql('model')}
        order by model.id`,
      [task, versions],
    );
  }

  /** Returns models, sorted by ID. */
  async submitted(ids: readonly string[]): Promise<SubmittedModel[]> {
    const rows = await preparedRows<SubmittedRow>(
      this.em,
      `select model.id, model.name, model.kind, model.state, model.failure, model.accepted_at as "acceptedAt",
          owner.username as owner, owner.id as "ownerId", specification.id as specification,
          specification.content ->> 'entry' as entry, artifact.digest, artifact.image ->> 'contentDigest' as "contentDigest", artifact.size, artifact.created_at as "createdAt"
         from model
         join run_specification as specification on specification.id = model.specification_id
         join artifact on artifact.id = specification.artifact_id
         join user_account as owner on owner.id = model.owner_id
        where model.id = any($1::uuid[]) order by model.id`,
      [ids],
    );
    return rows.map(({ digest, contentDigest, size, createdAt, acceptedAt, ...model }) => ({
      ...model,
      acceptedAt: dateOf(acceptedAt),
      artifact: { digest, contentDigest, size: Number(size), createdAt: new Date(createdAt) },
    }));
  }

  /** Returns the evaluations of run specifications on dataset versions. */
  async evaluations(specifications: readonly string[], versions: readonly string[]): Promise<BoardEvaluation[]> {
    const rows = await preparedRows<Stored<BoardEvaluation>>(
      this.em,
      `select id, specification_id as specification, dataset_version_id as version, state, failure, metrics, measures,
          slice_spreads as "sliceSpreads", perturbed, rest, resamples, predictions, scoring_key as "scoringKey",
          finished_at as "finishedAt"
         from evaluation where specification_id = any($1::uuid[]) and dataset_version_id = any($2::uuid[])`,
      [specifications, versions],
    );
    return rows.map((row) => ({ ...row, finishedAt: dateOf(row.finishedAt) }));
  }
}

const dateOf = (stored: string | Date | null): Date | null => (stored === null ? null : new Date(stored));
