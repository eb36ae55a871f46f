import { DURATION_CLASS, type RunStage, UNKNOWN_SECONDS } from './run.js';

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
export const QUEUE_ORDER = 'measures, owner_start, class, id';

/** SQL for the columns of a run in the queue. */
const queued = (stage: RunStage): string =>
  `run.id, run.owner_id, run.task_id, run.purpose = 'measures' as measures, true as waits, ${DURATION_CLASS} as class, ${costAt(stage)} as seconds`;

/**
 * Returns the tables of an SQL statement of which the last one, `queue`, has runs in the order in
 * which they are leased at a stage, `QUEUE_ORDER`: start-time fair queueing (Goyal, Vin & Cheng 1996).
 *
 * Evaluations come before measurements. Then comes the owner who has used the evaluators least for this
 * stage and purpose: `owner_start` is the seconds of the owner's leases now and of the runs that ended
 * within the window, and of the owner's runs that come first. Of equal use, the run of the shorter
 * duration class comes first, then the older one. The runs of an owner are ordered by the use of their
 * tasks in the same way. Seconds are integers, so that a lease adds to the use exactly what it takes
 * from the queue, and the order of the others stays as it is.
 * @param candidates SQL for the runs to order: `allWaiting`, or `firstRunnable`. A run without those
 * that its owner has after it has the same place.
 */
export const schedule = (stage: RunStage, candidates: string): string => `
  used as (
    select null::uuid as id, owner_id, task_id, purpose = 'measures' as measures, false as waits, 0 as class,
           sum(case when state = 'leased' and stage = '${stage}' then greatest(${costAt(stage)}, ${secondsSince('leased_at')})
                    else greatest(0, least(coalesce(${stage}_seconds, 0), ${WINDOW_SECONDS} - coalesce(${secondsSince('finished_at')}, 0))) end)::int as seconds
      from run
     where kind <> 'predictions' and (state = 'leased' or finished_at > now() - interval '${WINDOW_SECONDS} s'
           ${stage === 'admission' ? `or state = 'queued' and stage = 'evaluation'` : ''})
     group by owner_id, task_id, purpose
  ),
  by_task as (
    select *, ${startTag('owner_id, task_id, measures', 'class, id')} as task_start
      from (select * from used union all ${candidates}) as work
  ),
  by_owner as (
    select *, ${startTag('owner_id, measures', 'task_start, class, id')} as owner_start from by_task
  ),
  queue as (select * from by_owner where waits)`;

/** SQL for the seconds of all work of a part that does not wait, and of the runs before one in its queue. */
const startTag = (part: string, order: string): string =>
  `coalesce(sum(seconds) over (partition by ${part} order by waits, ${order} rows between unbounded preceding and 1 preceding), 0)`;

/**
 * Returns SQL for all runs that wait at a stage.
 * @param also SQL for the ID of a run that counts as waiting, whatever its stage is; it may be null
 */
export const allWaiting = (stage: RunStage, also: string): string =>
  `select ${queued(stage)} from run where ${waitsAt(stage)} or run.id = ${also}`;

/**
 * Returns SQL for the first run of each owner and task that an evaluator can run and that may be leased now.
 * @param runnable SQL for the condition of the evaluator on rows of `specification` and `task`
 * @param left SQL for the seconds for which a measuring run is left to other evaluators; null: for ever
 */
export const firstRunnable = (stage: RunStage, runnable: string, left: string): string => `
  select first.* from (select distinct purpose, owner_id, task_id from run where ${waitsAt(stage)}) as part
    cross join lateral (
      select ${queued(stage)} from run
       where ${waitsAt(stage)} and run.purpose = part.purpose and run.owner_id = part.owner_id and run.task_id = part.task_id
         and (run.not_before is null or run.not_before <= now())
         and (run.purpose <> 'measures' or run.created_at <= now() - make_interval(secs => ${left}))
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
