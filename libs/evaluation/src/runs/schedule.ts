import { DRAINING, DURATION_CLASS, RUN_PRIORITY, type RunStage, UNKNOWN_SECONDS } from './run.js';

/** The last seconds in which the use of evaluators counts. */
const WINDOW_SECONDS = 3600;
/** The number of runs, the last that ended, from which usual durations are taken. */
const SAMPLE = 1000;

/** SQL for the condition that a run waits for an evaluator at a stage. */
const waitsAt = (stage: RunStage): string =>
  `run.state = 'queued' and run.stage = '${stage}' and run.kind <> 'predictions'`;

/** SQL for the seconds that a run counts for at a stage, until it has taken longer. */
const costAt = (stage: RunStage): string =>
  stage === 'evaluation' ? `coalesce(run.expected_seconds, ${UNKNOWN_SECONDS})` : `${UNKNOWN_SECONDS}`;

const secondsSince = (time: string): string => `extract(epoch from now() - ${time})::int`;

/** The order of the table `queue`. */
export const QUEUE_ORDER = 'priority, owner_start, class, id';

/** Seconds that a measurement waits before evaluations wait for it. */
const PATIENT_SECONDS = 1800;
/** The part of the time of a host that such measurements take. */
const DRAINED_SHARE = 0.2;
/** The class of such a measurement: it is leased before all others. */
export const DRAINS = -1;

/**
 * SQL for the condition that evaluations wait for a measurement: its class is one of `DRAINING`, it has waited
 * long enough, and the last such measurement on the host ended long enough ago.
 * @param evaluator SQL for the ID of the evaluator; it may be null
 */
const drains = (evaluator: string): string => `
  run.priority in (${DRAINING.join(', ')}) and run.created_at <= now() - interval '${PATIENT_SECONDS} s'
  and not exists (
    select 1 from evaluator join run as drained on drained.id = evaluator.drained_by where evaluator.id = ${evaluator}::uuid
       and now() < drained.finished_at + make_interval(secs => drained.evaluation_seconds * ${1 / DRAINED_SHARE - 1}))`;

/** SQL for the columns of a run in the queue. */
const queued = (stage: RunStage, priority = 'run.priority'): string =>
  `run.id, run.owner_id, run.task_id, ${priority} as priority, true as waits, ${DURATION_CLASS} as class, ${costAt(stage)} as seconds`;

/**
 * Returns the tables of an SQL statement of which the last one, `queue`, has runs in the order in
 * which they are leased at a stage, `QUEUE_ORDER`: start-time fair queueing (Goyal, Vin & Cheng 1996).
 *
 * First comes the class of the run, `RUN_PRIORITY`. Then comes the owner who has used the evaluators least for this
 * stage and class: `owner_start` is the seconds of the owner's leases now and of the runs that ended
 * within the window, and of the owner's runs that come first. Of equal use, the run of the shorter
 * duration class comes first, then the older one. The runs of an owner are ordered by the use of their
 * tasks in the same way. Seconds are integers, so that a lease adds to the use exactly what it takes
 * from the queue, and the order of the others stays as it is.
 * @param candidates SQL for the runs to order: `allWaiting`, or `firstRunnable`. A run without those
 * that its owner has after it has the same place.
 */
export const schedule = (stage: RunStage, candidates: string): string => `
  used as (
    select null::uuid as id, owner_id, task_id, priority, false as waits, 0 as class,
           sum(case when state = 'leased' and stage = '${stage}' then greatest(${costAt(stage)}, ${secondsSince('leased_at')})
                    else greatest(0, least(coalesce(${stage}_seconds, 0), ${WINDOW_SECONDS} - coalesce(${secondsSince('finished_at')}, 0))) end)::int as seconds
      from run
     where kind <> 'predictions' and (state = 'leased' or finished_at > now() - interval '${WINDOW_SECONDS} s'
           ${stage === 'admission' ? `or state = 'queued' and stage = 'evaluation'` : ''})
     group by owner_id, task_id, priority
  ),
  by_task as (
    select *, ${startTag('owner_id, task_id, priority', 'class, id')} as task_start
      from (select * from used union all ${candidates}) as work
  ),
  by_owner as (
    select *, ${startTag('owner_id, priority', 'task_start, class, id')} as owner_start from by_task
  ),
  queue as (select * from by_owner where waits)`;

/** SQL for the seconds of all work of a part that does not wait, and of the runs before one in its queue. */
const startTag = (part: string, order: string): string =>
  `coalesce(sum(seconds) over (partition by ${part} order by waits, ${order} rows between unbounded preceding and 1 preceding), 0)`;

/**
 * Returns SQL for all evaluation runs that wait at a stage.
 * @param also SQL for the ID of a run that counts as waiting, whatever its stage is; it may be null
 */
export const allWaiting = (stage: RunStage, also: string): string =>
  `select ${queued(stage)} from run where (${waitsAt(stage)} and run.priority = ${RUN_PRIORITY.evaluation}) or run.id = ${also}`;

/**
 * Returns SQL for the first run of each owner and task that an evaluator can run and that may be leased now.
 * The class of a measurement that evaluations wait for is `DRAINS`. Other measurements are for idle hosts.
 * @param runnable SQL for the condition of the evaluator on rows of `specification` and `task`
 * @param host SQL for the facts about the evaluator: its ID, whether it is idle, and the seconds for which a
 * measuring run is left to others; null: for ever
 */
export const firstRunnable = (
  stage: RunStage,
  runnable: string,
  { evaluator, isIdle, left }: { readonly evaluator: string; readonly isIdle: string; readonly left: string },
): string => `
  select first.* from (select distinct priority, owner_id, task_id from run where ${waitsAt(stage)}) as part
    cross join lateral (
      select ${queued(stage, `case when ${drains(evaluator)} then ${DRAINS} else run.priority end`)} from run
       where ${waitsAt(stage)} and run.priority = part.priority and run.owner_id = part.owner_id and run.task_id = part.task_id
         and (run.not_before is null or run.not_before <= now())
         and (run.priority = ${RUN_PRIORITY.evaluation}
              or (${isIdle} and run.created_at <= now() - make_interval(secs => ${left})) or (${left} is not null and ${drains(evaluator)}))
         and (select ${runnable} from run_specification as specification, task
               where specification.id = run.specification_id and task.id = run.task_id)
       order by ${DURATION_CLASS}, run.id limit 1
    ) as first`;

/**
 * Returns the tables of an SQL statement of which the last one, `usual`, has the median of the seconds
 * that the last runs took for a stage, by kind and purpose: for each task, and for all tasks together,
 * where `task_id` is null.
 */
export const usual = (stage: RunStage): string => `
  ended as (
    select task_id, kind, purpose, ${stage}_seconds as seconds from run
     where state = 'done' and finished_at is not null and kind <> 'predictions' order by finished_at desc limit ${SAMPLE}
  ),
  usual as (
    select task_id, kind, purpose, percentile_cont(0.5) within group (order by greatest(1, seconds)) as seconds from ended
     where seconds is not null group by grouping sets ((task_id, kind, purpose), (kind, purpose))
  )`;
