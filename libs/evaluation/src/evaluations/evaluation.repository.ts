import type { OwnEvaluators } from '@assay/contracts/evaluators';
import type {
  CalibrationResult,
  Estimate,
  Measures,
  PerturbedResult,
  SliceResult,
  SliceSpread,
} from '@assay/contracts/metrics';
import type { EvaluationState, Failure } from '@assay/contracts/models';
import { newId, statesBefore } from '@assay/kernel';
import { anyOf, databaseTime, jsonValue, Repository, type TablesOf, uuidArray } from '@assay/persistence/queries';
import { type ExpressionBuilder, sql } from 'kysely';
import { EvaluatorRepository } from '../evaluators/evaluator.repository.js';
import type { Cells } from './active-datasets.js';
import {
  type Evaluation,
  EVALUATION_TRANSITIONS,
  type EvaluationSchema,
  OPEN_EVALUATION_STATES,
  type RestScore,
} from './evaluation.js';
import { ownEvaluatorsSql } from './own-evaluators.js';
import { sawOnlyReadable } from './seen-data.js';

/** The scores of one dataset version, which can be recomputed from its predictions. */
export interface ComputedScore {
  readonly metrics: Readonly<Record<string, Estimate>>;
  readonly slices: Readonly<Record<string, Readonly<Record<string, SliceResult>>>>;
  /** By slicing field, then by metric. */
  readonly sliceSpreads: Readonly<Record<string, Readonly<Record<string, SliceSpread>>>>;
  /** Null if the model gives no probabilities. */
  readonly calibration: CalibrationResult | null;
  /** Null for an unperturbed dataset. */
  readonly perturbed: PerturbedResult | null;
  /** Identifies everything that the scores were computed with (see `scoringKey`). */
  readonly scoringKey: string | null;
  /** By metric of texts, how it compared them (see `signatureOf`). */
  readonly signatures: Readonly<Record<string, string>>;
  /**
   * The number of answers whose label is not the most probable one by their own probabilities. Null
   * if no answer has probabilities.
   */
  readonly labelDiffers: number | null;
  /** The blob of the resampled values of the metrics. */
  readonly resamples: string | null;
  /** The figures on the examples that were not written against the model; absent if there are none. */
  readonly rest?: RestScore | null;
}

/** The answers of a model to one dataset version, which wait to be scored. */
export interface StoredAnswers {
  /** The blob of the predictions file. */
  readonly predictions: string;
  /** The number of invalid answers within the tolerance. */
  readonly invalid: number;
  /** The costs of the run so far. `finishRun` writes those of the whole run. */
  readonly measures: Measures | null;
  /** The indexes of the examples that were also sent as single, timed requests. */
  readonly timed: readonly number[];
  /**
   * IDs of the dataset versions that the sandbox had seen when it gave the predictions; empty if no
   * sandbox was involved. Null if unknown.
   */
  readonly seen: readonly string[] | null;
}

/** An open evaluation, and the run that fills it. */
interface RunCell {
  readonly evaluation: string;
  readonly run: string;
}

/** The end of cells without a result. */
interface CellsEnd {
  readonly state: 'failed' | 'cancelled';
  /** Absent for cells that were cancelled by their owner. */
  readonly failure?: Failure;
  /** The run that was to fill the cells. Absent: it stays as it is. */
  readonly run?: string;
  /** The states that end (default: all open ones). */
  readonly from?: readonly (typeof OPEN_EVALUATION_STATES)[number][];
}

/** The cell of a model on one active dataset version. */
export interface CellFate {
  readonly state: EvaluationState;
  readonly failure: Failure | null;
}

/** The scoring key that the evaluations of a dataset version must have. */
export interface ExpectedKey {
  readonly version: string;
  readonly key: string;
}

type EvaluationTables = TablesOf<typeof EvaluationSchema>;

/**
 * Failures after which a cell is worth another run. The unpacked size limit is not part of the
 * specification, so another limit must be able to change the verdict, and another owner may have
 * more storage. Archived bytes may have been uploaded again. Cells that were skipped because of
 * another failure (`not_run_again`) were never tried.
 */
const CURABLE = ['unpacked_too_large', 'storage_quota', 'artifact_archived', 'not_run_again'];

/**
 * Returns SQL for the condition that a row of `evaluation` is cancelled, or failed through no fault of
 * the model or for a reason that may have gone.
 * @param row the name of the row
 */
export const curableSql = (row: string): string =>
  `(${row}.state = 'cancelled' or ${row}.state = 'failed' and (${row}.failure ->> 'fault' <> 'model'
      or ${row}.failure ->> 'code' in (${CURABLE.map((code) => `'${code}'`).join(', ')})))`;

/**
 * The evaluations of the database. State changes are conditional updates. Callers hold the lock of
 * the specification, and a run also its lease.
 */
export class EvaluationRepository extends Repository<typeof EvaluationSchema> {
  /** Creates the cells that do not exist. */
  async create({ specification, versions }: Cells): Promise<void> {
    if (versions.length === 0) return;
    await this.db
      .insertInto('evaluation')
      .values(
        versions.map((datasetVersion) => ({
          id: newId(),
          specification,
          datasetVersion,
          state: 'queued' as const,
          invalid: 0,
          createdAt: databaseTime(),
        })),
      )
      .onConflict((conflict) => conflict.columns(['specification', 'datasetVersion']).doNothing())
      .execute();
  }

  /**
   * Puts failed and cancelled cells back into the queue.
   * @param which `curable`: failed cells only if they failed through no fault of the model, or for
   * a reason that may have gone
   * @returns the number of cells
   */
  async requeue(cells: Cells, which: 'all' | 'curable'): Promise<number> {
    const { numUpdatedRows } = await this.transition('queued')
      .set({ failure: null, run: null, finishedAt: null })
      .where(among(cells))
      .where('state', 'in', ['failed', 'cancelled'])
      .$if(which === 'curable', (query) => query.where(sql.raw<boolean>(curableSql('evaluation'))))
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /**
   * Puts scored cells on readable datasets back into the queue if their sandbox had, or may have,
   * seen hidden data as well. The old scores remain until the model has answered again in a sandbox
   * that sees only readable data.
   * @returns the number of cells
   */
  async requeueWithdrawn({ specification, versions }: Cells): Promise<number> {
    const rows = await this.em.execute<unknown[]>(
      `update evaluation set state = 'queued', run = null, finished_at = null, predictions = null, seen = null
         from dataset_version as version join dataset as own on own.id = version.dataset_id
        where version.id = evaluation.dataset_version_id and own.visibility <> 'hidden'
          and evaluation.specification_id = ? and evaluation.dataset_version_id = any(?::uuid[])
          and evaluation.state = 'scored' and evaluation.predictions is not null
          and not ${sawOnlyReadable('evaluation.seen')}
        returning evaluation.id`,
      [specification, uuidArray(versions)],
    );
    return rows.length;
  }

  /** Returns the cells that a run has begun and not answered to the queue. */
  async release(run: string): Promise<void> {
    await this.transition('queued')
      .where('run', '=', run)
      .where('state', '=', 'running')
      .where('predictions', 'is', null)
      .execute();
  }

  /**
   * Copies stored predictions to queued cells that need no run. If only gold outputs were
   * corrected, a dataset version has the same IDs and inputs as another version of its dataset. If
   * that version was scored, the cell takes its predictions, line for line, and its costs. The cell
   * stays `queued` until it is scored from them.
   */
  async takePredictions({ specification, versions }: Cells): Promise<void> {
    await this.em.execute(
      `update evaluation as cell set predictions = earlier.predictions, seen = earlier.seen, measures = earlier.measures,
           invalid = earlier.invalid, evaluator_id = earlier.evaluator_id
         from (
           select distinct on (cell.id) cell.id, done.predictions, done.seen, done.measures, done.invalid, done.evaluator_id
             from evaluation as cell
             join dataset_version as version on version.id = cell.dataset_version_id
             join dataset_version as other on other.dataset_id = version.dataset_id
               and other.inputs_digest = version.inputs_digest and other.id <> version.id
             join evaluation as done on done.dataset_version_id = other.id
               and done.specification_id = cell.specification_id
            where cell.specification_id = ? and cell.dataset_version_id = any(?::uuid[])
              and cell.state = 'queued' and cell.predictions is null
              and done.state = 'scored' and done.predictions is not null
            order by cell.id, done.finished_at desc
         ) as earlier
        where cell.id = earlier.id`,
      [specification, uuidArray(versions)],
    );
  }

  /**
   * Gives a specification the evaluations of another one on the datasets of a task, with their scores
   * and answers.
   */
  async copy({ from, to, task }: Readonly<Record<'from' | 'to' | 'task', string>>): Promise<void> {
    const rows = await this.em.execute<{ id: string }[]>(
      `select e.id from evaluation e join dataset_version v on v.id = e.dataset_version_id
         join dataset d on d.id = v.dataset_id where e.specification_id = ? and d.task_id = ?`,
      [from, task],
    );
    const ids = rows.map(({ id }) => id);
    await this.em.execute(
      `insert into evaluation
       select (jsonb_populate_record(e, jsonb_build_object('id', copied.id, 'specification_id', ?::uuid))).*
         from evaluation e join unnest(?::uuid[], ?::uuid[]) as copied (original, id) on copied.original = e.id`,
      [to, uuidArray(ids), uuidArray(ids.map(() => newId()))],
    );
  }

  /**
   * Counts the open cells: those that need a run (`missing`), and those that have predictions and
   * only wait to be scored.
   */
  async countWaiting(cells: Cells): Promise<Readonly<Record<'missing' | 'unscored', number>>> {
    const row = await this.db
      .selectFrom('evaluation')
      .where(among(cells))
      .where('state', 'in', OPEN_EVALUATION_STATES)
      .select(({ fn }) => [
        fn.countAll<string>().filterWhere('predictions', 'is', null).as('missing'),
        fn.countAll<string>().filterWhere('predictions', 'is not', null).as('unscored'),
      ])
      .executeTakeFirstOrThrow();
    return { missing: Number(row.missing), unscored: Number(row.unscored) };
  }

  /** Records that a run has begun a queued cell. */
  async start({ evaluation, run }: RunCell): Promise<void> {
    await this.transition('running').set({ run }).where('id', '=', evaluation).where('state', '=', 'queued').execute();
  }

  /**
   * Stores the answers of a run in an open cell, which then waits to be scored, and the evaluator that
   * holds the run, if it belongs to a user.
   * @returns false if the cell has answers or a result already
   */
  async answer({ evaluation, run }: RunCell, answers: StoredAnswers): Promise<boolean> {
    const evaluator = await new EvaluatorRepository(this.em).ownHolder(run);
    return this.changes(
      this.db
        .updateTable('evaluation')
        .set({
          run,
          evaluator,
          predictions: answers.predictions,
          invalid: answers.invalid,
          measures: jsonValue(answers.measures),
          seen: jsonValue(answers.seen),
          timed: jsonValue(answers.timed.length > 0 ? answers.timed : null),
        })
        .where('id', '=', evaluation)
        .where('state', 'in', OPEN_EVALUATION_STATES)
        .where('predictions', 'is', null),
    );
  }

  /** Ends an open cell without a result. */
  async end({ evaluation, run }: RunCell, state: 'failed' | 'cancelled', why: Failure): Promise<void> {
    await this.transition(state)
      .set({ failure: jsonValue(why), run, finishedAt: databaseTime() })
      .where('id', '=', evaluation)
      .where('state', 'in', OPEN_EVALUATION_STATES)
      .execute();
  }

  /** Ends the open cells that need a run. */
  async endMissing(cells: Cells, { state, failure, run, from = OPEN_EVALUATION_STATES }: CellsEnd): Promise<void> {
    await this.transition(state)
      .set({
        finishedAt: databaseTime(),
        ...(failure && { failure: jsonValue(failure) }),
        ...(run !== undefined && { run }),
      })
      .where(among(cells))
      .where('state', 'in', from)
      .where('predictions', 'is', null)
      .execute();
  }

  /**
   * Writes scores that were computed from stored predictions.
   * @returns false if the cell has changed since it was read
   */
  score(read: Pick<Evaluation, 'id' | 'state' | 'predictions' | 'scoringKey'>, score: ComputedScore): Promise<boolean> {
    return this.changes(
      this.transition('scored')
        .set((cell) => ({
          ...figuresOf(score),
          failure: null,
          timed: null,
          finishedAt: cell.fn.coalesce('finishedAt', databaseTime()),
        }))
        .where('id', '=', read.id)
        .where('state', '=', read.state)
        .where('predictions', '=', read.predictions ?? null)
        .where('scoringKey', 'is not distinct from', read.scoringKey ?? null),
    );
  }

  /**
   * Fails a cell that could not be scored, unless its state has changed since it was read. A cell
   * without scores loses its predictions: another run has to answer again.
   */
  async failScore(read: Pick<Evaluation, 'id' | 'state'>, why: Failure): Promise<void> {
    await this.transition('failed')
      .set({
        failure: jsonValue(why),
        finishedAt: databaseTime(),
        ...(read.state !== 'scored' && { predictions: null, seen: null, timed: null }),
      })
      .where('id', '=', read.id)
      .where('state', '=', read.state)
      .execute();
  }

  /** Clears the predictions of all cells of a specification that share a blob. */
  async forgetPredictions(specification: string, predictions: string): Promise<void> {
    await this.db
      .updateTable('evaluation')
      .set({ predictions: null })
      .where('specification', '=', specification)
      .where('predictions', '=', predictions)
      .execute();
  }

  /** Returns the states of the cells, in the order in which they finished. */
  fates(cells: Cells): Promise<CellFate[]> {
    return this.db
      .selectFrom('evaluation')
      .select(['state', 'failure'])
      .where(among(cells))
      .orderBy('finishedAt')
      .orderBy('id')
      .execute();
  }

  /** Returns the runs that answered the cells; null stands for cells without a run. */
  async answeringRuns(cells: Cells): Promise<readonly (string | null)[]> {
    const rows = await this.db
      .selectFrom('evaluation')
      .select('run')
      .distinct()
      .where(among(cells))
      .where(isAnswered)
      .execute();
    return rows.map(({ run }) => run);
  }

  /** Sets the costs of the cells that this run answered; null for cells without a run. */
  async setMeasures(cells: Cells, run: string | null, measures: Measures): Promise<void> {
    await this.db
      .updateTable('evaluation')
      .set({ measures: jsonValue(measures) })
      .where(among(cells))
      .where(isAnswered)
      .where('run', 'is not distinct from', run)
      .execute();
  }

  /**
   * Returns the IDs of the stale cells: they have predictions, but no scores for the current
   * definition. Such a cell was scored with another definition, or took the predictions of a
   * version with other gold outputs. It needs no run. Cells of perturbed datasets come last.
   */
  async stale(keys: readonly ExpectedKey[], limit?: number): Promise<readonly string[]> {
    if (keys.length === 0) return [];
    return this.idsOf(
      this.em.execute<{ id: string }[]>(
        `select cell.id from unnest(?::uuid[], ?::text[]) as expected (version, key)
         join evaluation cell on cell.dataset_version_id = expected.version
         join dataset_version version on version.id = expected.version
         join dataset on dataset.id = version.dataset_id
        where cell.predictions is not null and (cell.state in ('queued', 'running')
          or (cell.state = 'scored' and cell.scoring_key is distinct from expected.key))
        ${limit === undefined ? 'order by dataset.perturbation is not null, cell.id' : `limit ${limit}`}`,
        [uuidArray(keys.map(({ version }) => version)), `{${keys.map(({ key }) => key).join(',')}}`],
      ),
    );
  }

  /**
   * Makes the scored cells of artifacts stale on the datasets of a task that were collected against
   * models, because the examples that count there depend on the lineage of a model.
   * @param artifacts digests
   */
  async rescoreOwnRounds(task: string, artifacts: readonly string[]): Promise<void> {
    await this.em.execute(
      `update evaluation as cell set scoring_key = null
         from dataset_version version, dataset, run_specification s, artifact a
        where version.id = cell.dataset_version_id and dataset.id = version.dataset_id and dataset.task_id = ?
          and dataset.against <> '[]' and s.id = cell.specification_id and a.id = s.artifact_id
          and a.digest = any(?::text[]) and cell.state = 'scored' and cell.predictions is not null`,
      [task, `{${artifacts.join(',')}}`],
    );
  }

  /**
   * Returns the evaluators of users that answered or measured for the scored cells of a task, by the ID of
   * the cell. Cells without such evaluators are omitted.
   * @param of the dataset versions; without a specification, the cells of all specifications
   */
  async ownEvaluators(
    task: string,
    { specification, versions }: Partial<Pick<Cells, 'specification'>> & Pick<Cells, 'versions'>,
  ): Promise<ReadonlyMap<string, OwnEvaluators>> {
    const rows = await this.em.execute<{ id: string; evaluators: OwnEvaluators }[]>(
      `select * from (
         select cell.id, ${ownEvaluatorsSql('cell', '?::uuid')} as evaluators from evaluation as cell
          where cell.dataset_version_id = any(?::uuid[]) and cell.specification_id = coalesce(?::uuid, cell.specification_id)
            and cell.state = 'scored' and (cell.evaluator_id is not null
            or cell.specification_id in (
              select specification_id from measurement where task_id = ? and evaluator_id is not null))) as cells
        where evaluators is not null`,
      [task, uuidArray(versions), specification ?? null, task],
    );
    return new Map(rows.map(({ id, evaluators }) => [id, evaluators]));
  }

  /** Returns the IDs of those evaluations whose sandboxes had seen no hidden data. */
  async readable(evaluations: readonly Pick<Evaluation, 'id'>[]): Promise<ReadonlySet<string>> {
    if (evaluations.length === 0) return new Set();
    const rows = await this.db
      .selectFrom('evaluation')
      .select('id')
      .where('id', '=', anyOf(evaluations.map(({ id }) => id)))
      .where(sql.raw<boolean>(sawOnlyReadable('evaluation.seen')))
      .execute();
    return new Set(rows.map(({ id }) => id));
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: EvaluationState) {
    return this.db
      .updateTable('evaluation')
      .set('state', state)
      .where('state', 'in', statesBefore<EvaluationState>(EVALUATION_TRANSITIONS, state));
  }
}

const among =
  ({ specification, versions }: Cells) =>
  (cell: ExpressionBuilder<EvaluationTables, 'evaluation'>) =>
    cell.and([cell('specification', '=', specification), cell('datasetVersion', '=', anyOf(versions))]);

/** True for scored cells, and for those whose answers wait to be scored. */
const isAnswered = (cell: ExpressionBuilder<EvaluationTables, 'evaluation'>) =>
  cell.or([
    cell('state', '=', 'scored'),
    cell.and([cell('state', 'in', OPEN_EVALUATION_STATES), cell('predictions', 'is not', null)]),
  ]);

const figuresOf = (score: ComputedScore) => ({
  metrics: jsonValue(score.metrics),
  slices: jsonValue(score.slices),
  sliceSpreads: jsonValue(score.sliceSpreads),
  calibration: jsonValue(score.calibration),
  perturbed: jsonValue(score.perturbed),
  scoringKey: score.scoringKey,
  signatures: jsonValue(score.signatures),
  labelDiffers: score.labelDiffers,
  resamples: score.resamples,
  rest: score.rest ? jsonValue(score.rest) : null,
});
