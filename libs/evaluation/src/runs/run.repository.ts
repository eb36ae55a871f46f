import type { FreeCapacity } from '@assay/contracts/gateway';
import type { Failure } from '@assay/contracts/models';
import { statesBefore } from '@assay/kernel';
import { notifyChannel } from '@assay/persistence/outbox';
import {
  databaseTime,
  databaseTimeIn,
  jsonValue,
  leaseEnd,
  Repository,
  type TablesOf,
} from '@assay/persistence/queries';
import { type ExpressionBuilder, type ExpressionWrapper, sql, type SqlBool } from 'kysely';
import {
  LIVE_RUN_STATES,
  type Run,
  RUN_CHANNEL,
  RUN_PRIORITY,
  RUN_QUEUED_CHANNEL,
  RUN_TRANSITIONS,
  type RunPriority,
  type RunPurpose,
  type RunSchema,
  type RunScope,
  type RunStage,
  type RunState,
} from './run.js';
import { DRAINS, firstRunnable, QUEUE_ORDER, schedule, usual } from './schedule.js';
import { sawOnlyReadable } from '../evaluations/seen-data.js';
import { fitsSql, runnableCondition, type RunnableOn } from './runnable-on.js';

/** Seconds until the deadline of a queued run: one week. A claim sets another deadline. */
export const QUEUE_SECONDS = 7 * 86_400;

/** A run, and the claim that a writer believes to hold. */
export interface FencedRun {
  readonly runId: string;
  /** The number of claims of the run so far. A write with an older fence has no effect. */
  readonly fence: number;
}

export interface Claim {
  /** The name of the evaluator. */
  readonly owner: string;
  /** Seconds until the lease expires, unless it is renewed. */
  readonly leaseSeconds: number;
  /** Seconds until the deadline of the run. */
  readonly deadlineSeconds: number;
}

export type ClaimedRun = Pick<
  Run,
  'id' | 'fence' | 'stage' | 'attempts' | 'priority' | 'interruptions' | 'kind' | 'purpose' | 'origin'
> & {
  readonly specification: string;
  readonly task: string;
};

const CLAIMED = [
  'id',
  'fence',
  'stage',
  'attempts',
  'priority',
  'interruptions',
  'kind',
  'purpose',
  'specification',
  'task',
  'origin',
] as const;

/** The stored part of the sandbox logs of a run. */
export interface RunLog {
  /** Null if there is no readable log. */
  readonly log: string | null;
  /** IDs of the dataset versions that the sandbox had seen when it wrote the log. */
  readonly logSeen: readonly string[];
  /**
   * Size in bytes of the log of the sandbox with hidden data, which is not stored. Null if there
   * was none.
   */
  readonly withheldBytes: number | null;
}

/** The owner of a run, and how long it is expected to take. */
export interface RunTerms {
  /** ID of the user whose share it uses. */
  readonly owner: string;
  /** Seconds; null if its scope had no such run before. */
  readonly expectedSeconds: number | null;
}

/** How a run returns to the queue. */
export interface Requeued {
  readonly stage: RunStage;
  /** The number of failed attempts of the stage. */
  readonly attempts: number;
  /** How often a live request has interrupted its measurement (default: as often as before). */
  readonly interruptions?: number;
  /** Milliseconds until it may be leased (default: 0). */
  readonly delay?: number | undefined;
}

/** The end of a run: its final state, and the stored part of the logs. */
export interface RunEnd extends RunLog {
  readonly state: 'done' | 'failed' | 'cancelled';
  readonly failure: Failure | null;
}

/** The live run that fills the cells. */
export interface LiveRun extends Pick<Run, 'id' | 'stage'> {
  readonly state: Extract<RunState, 'queued' | 'leased'>;
}

/** The facts about an evaluator that asks for a run. */
export interface NextOptions {
  /** ID of a registered evaluator. */
  readonly evaluator?: string | null;
  /** The cores and the memory that its runs leave; absent: the whole host. */
  readonly free?: FreeCapacity | undefined;
  /** True if it holds no run of the stage (default: true). */
  readonly isIdle?: boolean;
  /** Seconds for which a measuring run is left to other evaluators (default: 0); null: for ever. */
  readonly leftSeconds?: number | null;
}

/** A run that an evaluator should lease next. */
export interface NextRun extends Pick<Run, 'id' | 'origin'> {
  /** True for a measurement that evaluations wait for. */
  readonly drains: boolean;
}

/** A run that needs repair. */
export interface StuckRun extends RunScope {
  readonly id: string;
  readonly purpose: RunPurpose;
}

/** Why a run needs repair. */
export type Stuck =
  /** Its deadline has passed. */
  | { readonly kind: 'overdue' }
  /** Its lease has expired, which counts as a failed attempt. */
  | { readonly kind: 'expired' }
  /** Its lease has expired, and with this attempt at least `attempts` have failed. */
  | { readonly kind: 'hopeless'; readonly attempts: number };

/** The log of a run. Sizes are in bytes. */
export interface LastLog {
  readonly log: string | null;
  readonly bytes: number | null;
  /** True if the sandbox that wrote the log had seen no hidden data. */
  readonly readable: boolean;
  /** The size of another log, which is not stored. */
  readonly withheld: number | null;
}

/** The number of runs, the last of their scope, whose median duration is expected of the next one. */
const OWN_SAMPLE = 5;

/**
 * SQL for the ID of the owner of a run: the owner of the oldest model, of those that are neither
 * cancelled nor withdrawn, if there are such.
 */
const ownerOf = (specification: string, task: string): string =>
  `select model.owner_id from model where model.specification_id = ${specification} and model.task_id = ${task}
    order by (model.state = 'cancelled' or model.withdrawn), model.id limit 1`;

type RunTables = TablesOf<typeof RunSchema>;
type Columns = ExpressionBuilder<RunTables, 'run'>;
type Condition = (run: Columns) => ExpressionWrapper<RunTables, 'run', SqlBool>;

/** The columns of a run that no evaluator holds any more. */
const unheld = (run: Columns) => ({
  leaseUntil: null,
  leaseOwner: null,
  leasedAt: null,
  admissionSeconds: secondsAt(run, 'admission'),
  evaluationSeconds: secondsAt(run, 'evaluation'),
});

/** The seconds of the last lease for a stage, if the lease of the run ends now. */
function secondsAt(run: Columns, stage: RunStage) {
  const before = run.ref(`${stage}Seconds`);
  const seconds = sql<number>`extract(epoch from now() - ${run.ref('leasedAt')})`;
  return run.case().when('stage', '=', stage).then(run.fn.coalesce(seconds, before)).else(before).end();
}

/**
 * The runs of the database. State changes are conditional updates: a run whose state or fence is
 * another one stays as it is, and the method says so. All times are those of the database.
 */
export class RunRepository extends Repository<typeof RunSchema> {
  /**
   * Leases a run that is queued at `stage`, or whose lease has expired. An expired lease counts as
   * an attempt that failed because of the platform.
   * @returns null if another process holds the run, or it is at another stage or has ended
   */
  async claim(runId: string, stage: RunStage, claim: Claim): Promise<ClaimedRun | null> {
    const claimed = await this.transition('leased')
      .set((run) => ({
        fence: run('fence', '+', 1),
        attempts: run
          .case()
          .when('state', '=', 'leased')
          .then(run('attempts', '+', 1))
          .else(run.ref('attempts'))
          .end(),
        leaseUntil: leaseEnd(claim.leaseSeconds),
        leaseOwner: claim.owner,
        leasedAt: databaseTime(),
        deadline: databaseTimeIn(claim.deadlineSeconds),
        startedAt: run.fn.coalesce('startedAt', databaseTime()),
      }))
      .where('id', '=', runId)
      .where('stage', '=', stage)
      .where((run) => run.or([run('state', '=', 'queued'), hasExpired(run)]))
      .returning(CLAIMED)
      .executeTakeFirst();
    return claimed ?? null;
  }

  /**
   * Returns the run at `stage` that an evaluator should lease next: the first in the order of `schedule`
   * of those that it can run and that may be leased now. Null if there is none, or if it needs more than
   * the evaluator has free: then it waits for that, and the runs after it do not delay it.
   */
  async next(
    stage: RunStage,
    on: RunnableOn,
    { evaluator = null, free, isIdle = true, leftSeconds = 0 }: NextOptions = {},
  ): Promise<NextRun | null> {
    const runnable = runnableCondition(on);
    const { memoryBytes, cpus } = free ?? on;
    const host = {
      evaluator: '(select evaluator_id from host)',
      isIdle: '(select is_idle from host)',
      left: '(select left_seconds from host)',
    };
    const [row] = await this.em.execute<NextRun[]>(
      `with host as (select ?::uuid as evaluator_id, ?::boolean as is_idle, ?::float8 as left_seconds),
         ${schedule(stage, firstRunnable(stage, runnable.text, host))},
         first as (select id, priority from queue order by ${QUEUE_ORDER} limit 1)
       select run.id, run.origin, first.priority = ${DRAINS} as drains from first join run on run.id = first.id
         join run_specification as specification on specification.id = run.specification_id
        where ${fitsSql({ memoryBytes: '?', cpus: '?' })}`,
      [evaluator, isIdle, leftSeconds, ...runnable.values, memoryBytes, cpus],
    );
    return row ?? null;
  }

  /** Returns whether an evaluator has leased a run at `stage`. */
  holdsAny(owner: string, stage: RunStage): Promise<boolean> {
    return this.exists(
      this.db
        .selectFrom('run')
        .select('id')
        .where('state', '=', 'leased')
        .where('leaseOwner', '=', owner)
        .where('stage', '=', stage)
        .limit(1),
    );
  }

  /** Returns a leased run. Null if the evaluator `owner` does not hold it with this fence. */
  async held({ runId, fence }: FencedRun, owner: string): Promise<ClaimedRun | null> {
    const run = await this.db
      .selectFrom('run')
      .select(CLAIMED)
      .where('id', '=', runId)
      .where('fence', '=', fence)
      .where('state', '=', 'leased')
      .where('leaseOwner', '=', owner)
      .executeTakeFirst();
    return run ?? null;
  }

  /** Returns the runs that an evaluator holds. */
  heldBy(owner: string): Promise<ClaimedRun[]> {
    return this.db
      .selectFrom('run')
      .select(CLAIMED)
      .where('state', '=', 'leased')
      .where('leaseOwner', '=', owner)
      .execute();
  }

  /**
   * Returns the seconds since the run was requested; of an automatic measurement that evaluations never wait for,
   * since it was first leased.
   */
  async waitedSeconds(runId: string): Promise<number> {
    const [row] = await this.em.execute<{ seconds: number }[]>(
      `select extract(epoch from now() - case when priority = ${RUN_PRIORITY.automatic} then started_at else created_at end)::float8 as seconds
         from run where id = ?`,
      [runId],
    );
    return row?.seconds ?? 0;
  }

  /**
   * Extends a lease, counted from now. That may shorten it, because the clock of the database may
   * have been set back.
   * @returns false if the lease is lost
   */
  extend({ runId, fence }: FencedRun, seconds: number): Promise<boolean> {
    return this.changes(
      this.db
        .updateTable('run')
        .set({ leaseUntil: leaseEnd(seconds) })
        .where('id', '=', runId)
        .where('fence', '=', fence)
        .where('state', '=', 'leased'),
    );
  }

  /**
   * Expires all leases of an evaluator.
   * @returns the number of expired leases
   */
  async expireLeasesOf(owner: string): Promise<number> {
    const { numUpdatedRows } = await this.db
      .updateTable('run')
      .set({ leaseUntil: databaseTimeIn(-1) })
      .where('state', '=', 'leased')
      .where('leaseOwner', '=', owner)
      .executeTakeFirst();
    return Number(numUpdatedRows);
  }

  /**
   * Returns a leased run to the queue, and notifies those who wait for one.
   * @returns false if the lease is lost
   */
  async requeue({ runId, fence }: FencedRun, { stage, attempts, interruptions, delay }: Requeued): Promise<boolean> {
    const isQueued = await this.changes(
      this.transition('queued')
        .set((run) => ({
          stage,
          attempts,
          ...(interruptions !== undefined && { interruptions }),
          ...unheld(run),
          notBefore: delay === undefined ? null : databaseTimeIn(delay / 1000),
          deadline: databaseTimeIn(QUEUE_SECONDS),
        }))
        .where('id', '=', runId)
        .where('fence', '=', fence),
    );
    if (isQueued) await notifyChannel(this.em, RUN_QUEUED_CHANNEL, stage);
    return isQueued;
  }

  /**
   * Ends a leased run.
   * @returns false if the lease is lost
   */
  end({ runId, fence }: FencedRun, { state, ...end }: RunEnd): Promise<boolean> {
    return this.changes(
      this.transition(state)
        .set((run) => ({
          failure: jsonValue(end.failure),
          log: end.log,
          logSeen: jsonValue(end.logSeen),
          withheldBytes: end.withheldBytes,
          ...unheld(run),
          finishedAt: databaseTime(),
        }))
        .where('id', '=', runId)
        .where('fence', '=', fence)
        .where('state', '=', 'leased'),
    );
  }

  /** Returns a run whose lease has expired to the queue, and counts the attempt as failed. */
  async requeueExpired(runId: string): Promise<void> {
    const requeued = await this.transition('queued')
      .set((run) => ({
        attempts: run('attempts', '+', 1),
        ...unheld(run),
        deadline: databaseTimeIn(QUEUE_SECONDS),
      }))
      .where('id', '=', runId)
      .where(hasExpired)
      .returning('stage')
      .executeTakeFirst();
    if (requeued) await notifyChannel(this.em, RUN_QUEUED_CHANNEL, requeued.stage);
  }

  /** Cancels a live run, whoever holds it, and notifies the holder. */
  cancel(runId: string): Promise<void> {
    return this.take(runId, 'cancelled', null);
  }

  /** Fails a live run, whoever holds it, and notifies the holder. */
  fail(runId: string, why: Failure): Promise<void> {
    return this.take(runId, 'failed', why);
  }

  /**
   * Returns the live run of the scope for this purpose. An evaluating and a measuring run may be
   * live at the same time, as they share no state.
   */
  async live({ specification, task }: RunScope, purpose: RunPurpose): Promise<LiveRun | null> {
    const run = await this.db
      .selectFrom('run')
      .select(['id', 'stage', 'state'])
      .where('specification', '=', specification)
      .where('task', '=', task)
      .where('purpose', '=', purpose)
      .where('state', 'in', LIVE_RUN_STATES)
      .$narrowType<{ state: LiveRun['state'] }>()
      .executeTakeFirst();
    return run ?? null;
  }

  /** Returns the owner of a new run of the scope, and how long it is expected to take. */
  terms({ specification, task }: RunScope, { kind, purpose }: Pick<Run, 'kind' | 'purpose'>): Promise<RunTerms> {
    return this.row<RunTerms>(
      `select (${ownerOf('asked.specification_id', 'asked.task_id')}) as owner,
              coalesce(
                (select percentile_cont(0.5) within group (order by greatest(1, evaluation_seconds))
                   from (select evaluation_seconds from run
                          where specification_id = asked.specification_id and task_id = asked.task_id
                            and purpose = asked.purpose and state = 'done' and evaluation_seconds is not null
                          order by finished_at desc limit ${OWN_SAMPLE}) as last),
                (with ${usual('evaluation')}
                 select seconds from usual
                  where kind = asked.kind and purpose = asked.purpose and coalesce(task_id = asked.task_id, true)
                  order by task_id limit 1)
              )::int as "expectedSeconds"
         from (select ?::uuid as specification_id, ?::uuid as task_id, ? as kind, ? as purpose) as asked`,
      [specification, task, kind, purpose],
    );
  }

  /** Sets the owner of the live runs of the scope again, after one of its models was cancelled. */
  async assignOwner({ specification, task }: RunScope): Promise<void> {
    await this.em.execute(
      `update run set owner_id = (${ownerOf('run.specification_id', 'run.task_id')})
        where specification_id = ? and task_id = ? and state in ('queued', 'leased')`,
      [specification, task],
    );
  }

  /** Returns all queued runs of predictions files, the oldest first. */
  queuedPredictions(): Promise<Pick<Run, 'id' | 'stage' | 'kind' | 'fence' | 'origin'>[]> {
    return this.db
      .selectFrom('run')
      .select(['id', 'stage', 'kind', 'fence', 'origin'])
      .where('state', '=', 'queued')
      .where('kind', '=', 'predictions')
      .orderBy('createdAt')
      .execute();
  }

  /** Returns whether any evaluation run that needs a sandbox is queued. */
  evaluationsWait(): Promise<boolean> {
    return this.exists(
      this.db
        .selectFrom('run')
        .select('id')
        .where('state', '=', 'queued')
        .where('purpose', '=', 'evaluation')
        .where('kind', '!=', 'predictions')
        .limit(1),
    );
  }

  /**
   * Returns the seconds until the scope may have another measuring run, if it may have `limit` of
   * them in a period of `seconds`. Null if it may now.
   */
  async secondsUntilMeasurable(
    { specification, task }: RunScope,
    limit: number,
    seconds: number,
  ): Promise<number | null> {
    const run = await this.db
      .selectFrom('run')
      .select((run) =>
        sql<number>`ceil(extract(epoch from ${run.ref('createdAt')} - ${databaseTimeIn(-seconds)}))::int`.as('seconds'),
      )
      .where('specification', '=', specification)
      .where('task', '=', task)
      .where('purpose', '=', 'measures')
      .where('createdAt', '>', databaseTimeIn(-seconds))
      .orderBy('createdAt', 'desc')
      .offset(limit - 1)
      .limit(1)
      .executeTakeFirst();
    return run?.seconds ?? null;
  }

  /**
   * Returns whether the scope has a measuring run that is queued or leased, has ended, or has failed through the
   * fault of the model.
   */
  isMeasured({ specification, task }: RunScope): Promise<boolean> {
    return this.exists(
      this.db
        .selectFrom('run')
        .select('id')
        .where('specification', '=', specification)
        .where('task', '=', task)
        .where('purpose', '=', 'measures')
        .where((run) =>
          run.or([
            run('state', 'in', [...LIVE_RUN_STATES, 'done']),
            run(sql<string>`${run.ref('failure')} ->> 'fault'`, '=', 'model'),
          ]),
        )
        .limit(1),
    );
  }

  /** Returns the seconds since the last measuring run of the scope ended. Null if none has. */
  async secondsSinceMeasured({ specification, task }: RunScope): Promise<number | null> {
    const { seconds } = await this.row<{ seconds: number | null }>(
      `select extract(epoch from now() - max(finished_at))::float8 as seconds from run
        where specification_id = ? and task_id = ? and purpose = 'measures'`,
      [specification, task],
    );
    return seconds;
  }

  /** Lets a queued automatic run be leased now, with another priority, because a user has requested it. */
  async expedite(runId: string, priority: RunPriority): Promise<void> {
    const isQueued = await this.changes(
      this.db
        .updateTable('run')
        .set({ priority, notBefore: null, createdAt: databaseTime() })
        .where('id', '=', runId)
        .where('state', '=', 'queued')
        .where('priority', '>=', RUN_PRIORITY.automaticWeighed),
    );
    if (isQueued) await notifyChannel(this.em, RUN_QUEUED_CHANNEL, 'evaluation');
  }

  /** Returns whether an artifact has a queued or leased run. */
  async hasLiveRun(artifact: string): Promise<boolean> {
    const runs = await this.em.execute<unknown[]>(
      `select 1 from run join run_specification as specification on specification.id = run.specification_id
        where specification.artifact_id = ? and run.state in ('queued', 'leased') limit 1`,
      [artifact],
    );
    return runs.length > 0;
  }

  /** Returns the log of the last evaluation run of the scope that has one. */
  async lastLog({ specification, task }: RunScope): Promise<LastLog | undefined> {
    const [run] = await this.em.execute<LastLog[]>(
      `select log, octet_length(log) as bytes, ${sawOnlyReadable('log_seen')} as readable, withheld_bytes as withheld from run
        where specification_id = ? and task_id = ? and purpose = 'evaluation' and (log is not null or withheld_bytes is not null)
        order by id desc limit 1`,
      [specification, task],
    );
    return run;
  }

  /** Returns the runs that need repair. Another process may repair them: see `isStuck`. */
  stuck(why: Stuck): Promise<StuckRun[]> {
    return this.db
      .selectFrom('run')
      .select(['id', 'purpose', 'specification', 'task'])
      .where(conditionOf(why))
      .execute();
  }

  /** Locks a run, and returns whether it still needs repair. */
  isStuck(runId: string, why: Stuck): Promise<boolean> {
    return this.exists(
      this.db.selectFrom('run').select('id').where('id', '=', runId).where(conditionOf(why)).forUpdate(),
    );
  }

  private async take(runId: string, state: 'failed' | 'cancelled', why: Failure | null): Promise<void> {
    await this.transition(state)
      .set((run) => ({
        failure: jsonValue(why),
        // writes of the holder no longer have an effect
        fence: run('fence', '+', 1),
        ...unheld(run),
        finishedAt: databaseTime(),
      }))
      .where('id', '=', runId)
      .execute();
    await notifyChannel(this.em, RUN_CHANNEL, runId);
  }

  /** An update to `state` of those rows whose state may be followed by it. */
  private transition(state: RunState) {
    return this.db
      .updateTable('run')
      .set('state', state)
      .where('state', 'in', statesBefore<RunState>(RUN_TRANSITIONS, state));
  }
}

const hasExpired: Condition = (run) => run.and([run('state', '=', 'leased'), run('leaseUntil', '<', databaseTime())]);

const conditionOf =
  (why: Stuck): Condition =>
  (run) => {
    if (why.kind === 'overdue') {
      return run.and([run('state', 'in', LIVE_RUN_STATES), run('deadline', '<', databaseTime())]);
    }
    return why.kind === 'expired'
      ? hasExpired(run)
      : run.and([hasExpired(run), run('attempts', '>=', why.attempts - 1)]);
  };
