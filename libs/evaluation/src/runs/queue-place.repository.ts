import { EVALUATOR_ONLINE_SECONDS, EVALUATOR_PROTOCOLS } from '@assay/contracts/evaluators';
import { Repository } from '@assay/persistence/queries';
import { LEASE_PREFIX } from '../evaluators/evaluator.js';
import { QUEUE_SECONDS } from './run.repository.js';
import type { Run, RunStage } from './run.js';
import { REGISTERED_EVALUATOR, runnableSql } from './runnable-on.js';
import { MODELS_OF_RUN, type RunningModel } from './running-model.js';
import { allWaiting, QUEUE_ORDER, schedule, usual } from './schedule.js';

/** The time and the cores that a run is expected to take at a stage. */
export interface ExpectedRun {
  /** Null: nothing is known about its duration. */
  readonly expectedSeconds: number | null;
  /** Cores. Null: it takes a host alone, as measurements and runs on hidden data do. */
  readonly cpus: number | null;
}

/** A run that an evaluator runs now. Times are in milliseconds since 1970, by the clock of the database. */
export interface RunningRun extends ExpectedRun {
  readonly since: number;
  /** The name of the evaluator. */
  readonly host: string;
  /** The models that share the run, the oldest first. */
  readonly models: readonly RunningModel[];
}

/** An evaluator. */
export interface QueueHost {
  readonly name: string;
  /** The number of cores that the runs of a stage take together. */
  readonly slots: number;
}

/**
 * The place of a run of an evaluation in the queue of a stage. Evaluators and what they run are those that
 * can run it. Times are in milliseconds since 1970, by the clock of the database.
 */
export interface QueuePlace extends ExpectedRun {
  readonly now: number;
  /** The time since which the run is in the queue. */
  readonly queuedAt: number;
  /** The run is not leased before; null: at once. */
  readonly notBefore: number | null;
  /** The start of its lease; null: it is queued. */
  readonly leasedAt: number | null;
  /** The runs that are leased before it, in their order. */
  readonly before: readonly ExpectedRun[];
  /** The number of evaluation runs that wait at the stage. */
  readonly waiting: number;
  /** True if any evaluator is online. */
  readonly isAnyOnline: boolean;
  readonly hosts: readonly QueueHost[];
  /** The other runs that they run now. */
  readonly running: readonly RunningRun[];
}

/** The places of a run at its stage, and at its next one if there is one. */
export interface QueuePlaces {
  readonly stage: QueuePlace;
  readonly later: QueuePlace | null;
}

/** The queue of runs, as a run that waits in it sees it. */
export class QueuePlaceRepository extends Repository {
  /**
   * Returns the places of a live run that needs an evaluator.
   * @returns null if the run has ended
   */
  async places({ id, stage }: Pick<Run, 'id' | 'stage'>): Promise<QueuePlaces | null> {
    const first = await this.place(id, stage);
    return first && { stage: first, later: stage === 'admission' ? await this.place(id, 'evaluation') : null };
  }

  /** Returns the place of a run at a stage. A run at an earlier stage counts as queued. */
  private async place(runId: string, stage: RunStage): Promise<QueuePlace | null> {
    const [row] = await this.em.execute<QueuePlace[]>(
      `with asked as (select * from run where id = ? and state in ('queued', 'leased') and purpose = 'evaluation'),
         ${usual(stage)},
         ${schedule(stage, allWaiting(stage, `(select id from asked where stage <> '${stage}')`))},
         places as (select id, row_number() over (order by ${QUEUE_ORDER}) as position from queue),
         online as (
           select name, slots, problem is null and (
               select ${runnableSql(REGISTERED_EVALUATOR)} from asked, run_specification as specification, task
                where specification.id = asked.specification_id and task.id = asked.task_id) as "canRun"
             from evaluator where state = 'active' and last_seen_at > now() - interval '${EVALUATOR_ONLINE_SECONDS} s'
              and protocol = any(?::int[])
         ),
         able as (select * from online where "canRun")
       select ${milliseconds('now()')} as now,
              ${milliseconds('asked.deadline')} - ${QUEUE_SECONDS * 1000} as "queuedAt",
              ${milliseconds('asked.not_before')} as "notBefore",
              case when state = 'leased' and stage = '${stage}' then ${milliseconds('asked.leased_at')} end as "leasedAt",
              ${expectedSeconds('asked', stage)} as "expectedSeconds", ${cpus('asked', stage)} as cpus,
              (select coalesce(json_agg(json_build_object('expectedSeconds', ${expectedSeconds('run', stage)}, 'cpus', ${cpus('run', stage)})
                  order by position), '[]') from places join run on run.id = places.id
                where position < (select position from places where id = asked.id)) as before,
              (select count(*) from places)::int as waiting,
              exists (select 1 from online) as "isAnyOnline",
              (select coalesce(json_agg(json_build_object('name', name, 'slots', ${stage === 'evaluation' ? 'slots' : '1'})), '[]')
                 from able) as hosts,
              (select coalesce(json_agg(json_build_object('since', ${milliseconds('run.leased_at')}, 'host', able.name,
                  'expectedSeconds', ${expectedSeconds('run', stage)}, 'cpus', ${cpus('run', stage)}, 'models', ${MODELS_OF_RUN})
                  order by run.leased_at), '[]')
                 from run join able on run.lease_owner = '${LEASE_PREFIX}' || able.name
                where state = 'leased' and stage = '${stage}' and id <> asked.id) as running
         from asked`,
      [runId, `{${EVALUATOR_PROTOCOLS.join(',')}}`],
    );
    return row ?? null;
  }
}

const milliseconds = (time: string): string => `(extract(epoch from ${time}) * 1000)::float8`;

/** SQL for the seconds that a stage of a run is expected to take, which may be known since it was queued. */
const expectedSeconds = (
  run: string,
  stage: RunStage,
): string => `coalesce(${stage === 'evaluation' ? `${run}.expected_seconds, ` : ''}(
  select seconds from usual where usual.kind = ${run}.kind and usual.purpose = ${run}.purpose
     and coalesce(usual.task_id = ${run}.task_id, true) order by usual.task_id limit 1)::int)`;

/** SQL for `cpus` of a run at a stage. Each host admits one artifact at a time. */
const cpus = (run: string, stage: RunStage): string =>
  stage === 'admission'
    ? '1'
    : `case when ${run}.purpose = 'evaluation' and not exists (
           select 1 from evaluation as cell join dataset_version as version on version.id = cell.dataset_version_id
             join dataset on dataset.id = version.dataset_id
            where cell.specification_id = ${run}.specification_id and dataset.task_id = ${run}.task_id
              and cell.state in ('queued', 'running') and cell.predictions is null and dataset.visibility = 'hidden')
         then (select (content #>> '{limits,cpus}')::float8 from run_specification where id = ${run}.specification_id) end`;
