import type { OwnEvaluators } from '@assay/contracts/evaluators';
import type { EvaluationView, Failure, ModelView } from '@assay/contracts/models';
import { ownEvaluatorsSql, sawOnlyReadable } from '@assay/evaluation/evaluations';
import { liveRunJson, RUN_PRIORITY, type RunProgress } from '@assay/evaluation/runs';
import { DomainError } from '@assay/kernel';
import { preparedRows, Repository } from '@assay/persistence/queries';
import type { Model } from '@assay/submissions';
import type { Supplement } from '@assay/submissions/supplements';
import type { Task } from '@assay/tasks';
import type { Dataset } from '@assay/tasks/datasets';

/** An active dataset version, with the results of the model on it. */
export interface ShownCell
  extends
    Pick<EvaluationView, 'state' | 'examples' | 'slices' | 'measures' | 'metrics'>,
    Pick<Dataset, 'name' | 'perturbation' | 'visibility' | 'use'> {
  readonly id: string;
  /** The ID of the dataset. */
  readonly dataset: string;
  /** Until when listed submitters may read the inputs of a hidden dataset. */
  readonly inputsUntil: string | null;
  readonly number: number;
  readonly original: string | null;
  readonly round: number | null;
  readonly failure: Failure | null;
  readonly invalid: number;
  readonly sliceSpreads: EvaluationView['sliceSpreads'] | null;
  readonly calibration: EvaluationView['calibration'] | null;
  readonly perturbed: EvaluationView['perturbed'] | null;
  readonly signatures: EvaluationView['signatures'] | null;
  readonly labelDiffers: number | null;
  /**
   * True if the answers come from a sandbox that had seen no hidden data. Null if no answers are
   * stored.
   */
  readonly readable: boolean | null;
  readonly finishedAt: string | null;
  /** Evaluators of users that answered or measured, by name. Null if there are none. */
  readonly evaluators: OwnEvaluators | null;
}

/** A model with its run specification, runs and cells, as they are shown. */
export interface ShownModel extends Pick<
  Model,
  | 'id'
  | 'name'
  | 'kind'
  | 'state'
  | 'description'
  | 'card'
  | 'trainedOn'
  | 'derivedFrom'
  | 'protocol'
  | 'command'
  | 'published'
  | 'withdrawn'
  | 'inLoop'
  | 'allowForeignEvaluators'
  | 'liveDifference'
  | 'failure'
  | 'createdAt'
> {
  readonly firstScoredAt: string | null;
  readonly owner: Pick<Model['owner'], 'id' | 'username'>;
  readonly task: Pick<Task, 'id' | 'slug' | 'definition'> & { readonly owner: Pick<Task['owner'], 'id'> };
  /** Null until its artifact has arrived. */
  readonly specification: {
    readonly artifact: { readonly digest: string; readonly size: number; readonly archivedAt: string | null };
    readonly repeatability: ModelView['repeatability'] | null;
    readonly run: RunProgress | null;
    readonly measuring: boolean;
    readonly awaitsMeasurement: boolean;
    /** The files that were added, the oldest first. */
    readonly supplements: readonly (Pick<Supplement, 'id' | 'digest' | 'size' | 'state' | 'failure'> & {
      readonly createdAt: string;
      readonly archivedAt: string | null;
    })[];
    readonly cells: readonly (Omit<ShownCell, 'state'> & { readonly state: ShownCell['state'] | null })[];
  } | null;
}

/** SQL for the measuring runs of a specification `s` on a task `t` that are queued or leased. */
const LIVE_MEASUREMENTS = `run where specification_id = s.id and task_id = t.id and purpose = 'measures' and state in ('queued', 'leased')`;

/** Models with their run specifications, runs and cells. */
export class ShownModelRepository extends Repository {
  /**
   * Reads a model by a single query and without entities, because the page of a model is read often.
   * @throws DomainError `not_found`
   */
  async get(id: string): Promise<ShownModel> {
    const [row] = await preparedRows<Omit<ShownModel, 'createdAt'> & { readonly createdAt: string }>(
      this.em,
      `select m.id, m.name, m.kind, m.state, m.description, m.card, m.trained_on as "trainedOn", m.derived_from as "derivedFrom", m.protocol, m.command, m.published, m.withdrawn,
           m.in_loop as "inLoop", m.allow_foreign_evaluators as "allowForeignEvaluators", m.live_difference as "liveDifference", m.failure, m.created_at as "createdAt", m.first_scored_at as "firstScoredAt",
           json_build_object('id', u.id, 'username', u.username) as owner,
           json_build_object('id', t.id, 'slug', t.slug, 'definition', t.definition, 'owner', json_build_object('id', t.owner_id)) as task,
           case when s.id is not null then json_build_object(
             'artifact', json_build_object('digest', a.digest, 'size', a.size, 'archivedAt', a.archived_at),
             'repeatability', s.repeatability,
             'run', ${liveRunJson('s.id', 't.id')},
             'measuring', exists (
               select 1 from ${LIVE_MEASUREMENTS} and (state = 'leased' or priority < ${RUN_PRIORITY.automaticWeighed})
             ),
             'awaitsMeasurement', exists (select 1 from ${LIVE_MEASUREMENTS}),
             'supplements', (select coalesce(json_agg(json_build_object(
                 'id', added.id, 'digest', added.digest, 'size', added.size, 'state', added.state, 'failure', added.failure,
                 'createdAt', added.created_at, 'archivedAt', added.archived_at) order by added.id), '[]')
               from supplement added where added.specification_id = s.id),
             'cells', (select coalesce(json_agg(json_build_object(
                 'id', v.id, 'dataset', d.id, 'inputsUntil', d.inputs_until, 'use', d.use, 'number', v.number, 'original', v.original_id, 'examples', v.examples, 'name', d.name, 'round', d.round,
                 'perturbation', d.perturbation, 'visibility', d.visibility, 'state', e.state, 'failure', e.failure, 'invalid', e.invalid,
                 'metrics', e.metrics, 'measures', e.measures, 'slices', e.slices, 'sliceSpreads', e.slice_spreads,
                 'calibration', e.calibration, 'perturbed', e.perturbed, 'signatures', e.signatures, 'labelDiffers', e.label_differs, 'finishedAt', e.finished_at,
                 'evaluators', ${ownEvaluatorsSql('e', 't.id')},
                 'readable', case when e.predictions is not null then ${sawOnlyReadable('e.seen')} end) order by d.created_at), '[]')
               from dataset_version v join dataset d on d.id = v.dataset_id
               left join evaluation e on e.dataset_version_id = v.id and e.specification_id = s.id
               where d.task_id = t.id and v.status = 'active')) end as specification
         from model m join user_account u on u.id = m.owner_id join task t on t.id = m.task_id
         left join run_specification s on s.id = m.specification_id left join artifact a on a.id = s.artifact_id
        where m.id = $1`,
      [id],
    );
    if (!row) throw DomainError.notFound('model');
    return { ...row, createdAt: new Date(row.createdAt) };
  }
}
