import { failure } from '@assay/contracts';
import type { Failure, Origin } from '@assay/contracts';
import type { Jobs } from '@assay/jobs';
import { continued } from '@assay/observability';
import { inTransaction, withAdvisoryLock } from '@assay/persistence';
import { lockSpecification } from '@assay/submissions';
import { markBoardStale, staleBoards } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeDatasetVersions, uuidArray } from './active-datasets.js';
import { json, settleModels, type RunScope } from './model-states.js';
import { jobOfRun, enqueueBoard, enqueueRun, RUN_QUEUES } from './outbox-dispatcher.js';
import { RUN_CHANNEL } from './run-channel.js';
import { enqueueScores, tasksWithStaleScores } from './rescoring.js';
import { LARGEST_ATTEMPTS, platformFailure } from './run-outcome.js';
import { QUEUE_SECONDS } from './run-request.js';
import type { RunPurpose, RunStage } from './run.js';

/** Seconds after which the publish job of a stale board is assumed to be lost. */
const STALE_SECONDS = 15;

interface StuckRun {
  readonly id: string;
  readonly specification: string;
  readonly task: string;
  readonly purpose: RunPurpose;
}

export interface Reconciliation {
  /** Runs that were requeued because their lease had expired. */
  readonly requeued: number;
  /** Runs that failed because their deadline passed or the platform failed too often. */
  readonly failed: number;
  /**
   * Queued runs, tasks with stale scores and stale boards that had no live job and were enqueued
   * again.
   */
  readonly rung: number;
}

/**
 * Repairs the effects of crashes, lost jobs and lost notifications. Reads only the database and the
 * job queues. Only one process reconciles at a time.
 */
export class Reconciler {
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue' | 'isLive' | 'liveIds'>,
  ) {}

  /**
   * Runs one round.
   * @returns null if another process is reconciling
   */
  async reconcile(): Promise<Reconciliation | null> {
    return withAdvisoryLock(this.em, 'assay.reconciler', async () => ({
      failed: (await this.failOverdue()) + (await this.failHopeless()),
      requeued: await this.requeueExpired(),
      rung: await this.enqueueLost(),
    }));
  }

  private async failOverdue(): Promise<number> {
    const overdue = `state in ('queued', 'leased') and deadline < now()`;
    const why = failure('deadline_passed', 'The run was not done by its deadline.');
    return this.each(overdue, (em, run) => giveUp(em, run, why));
  }

  private async failHopeless(): Promise<number> {
    const hopeless = `state = 'leased' and lease_until < now() and attempts + 1 >= ${LARGEST_ATTEMPTS}`;
    const why = platformFailure('the evaluator was gone before the run ended.');
    return this.each(hopeless, (em, run) => giveUp(em, run, why));
  }

  private async requeueExpired(): Promise<number> {
    return this.each(`state = 'leased' and lease_until < now()`, async (em, run) => {
      await em.execute(
        `update run set state = 'queued', attempts = attempts + 1, lease_until = null, lease_owner = null,
           deadline = now() + make_interval(secs => ?) where id = ?`,
        [QUEUE_SECONDS, run.id],
      );
      await em.execute(`update evaluation set state = 'queued' where run = ? and state = 'running'`, [run.id]);
    });
  }

  /**
   * Changes each matching run in its own transaction, after checking the condition again under the
   * locks.
   * @returns the number of changed runs
   */
  private async each(condition: string, change: (em: EntityManager, run: StuckRun) => Promise<void>): Promise<number> {
    const columns = 'id, purpose, specification_id as specification, task_id as task';
    const runs = await this.em.fork().execute<StuckRun[]>(`select ${columns} from run where ${condition}`);
    let changed = 0;
    for (const run of runs) {
      changed += await inTransaction(this.em, async (em) => {
        await lockSpecification(em, run.specification);
        const still = await em.execute<unknown[]>(`select id from run where id = ? and ${condition} for update`, [
          run.id,
        ]);
        if (still.length === 0) return 0;
        await change(em, run);
        await settleModels(em, run);
        return 1;
      });
    }
    return changed;
  }

  private async enqueueLost(): Promise<number> {
    const waiting = await this.em
      .fork()
      .execute<{ id: string; stage: RunStage; fence: number; origin: Origin | null }[]>(
        `select id, stage, fence, origin from run where state = 'queued' order by created_at`,
      );
    let rung = 0;
    // thousands of runs may wait: one lookup for each would block the queue for everybody else
    const live = waiting.length > 0 ? await this.liveRuns() : new Set<string>();
    for (const { id, stage, fence, origin } of waiting) {
      const run = { runId: id, stage, attempt: fence };
      if (live.has(jobOfRun(run))) continue;
      if (await continued(origin, () => enqueueRun(this.jobs, run))) rung++;
    }
    for (const task of await tasksWithStaleScores(this.em.fork())) {
      if (await enqueueScores(this.jobs, task)) rung++;
    }
    for (const task of await staleBoards(this.em.fork(), STALE_SECONDS)) {
      if (await enqueueBoard(this.jobs, task)) rung++;
    }
    return rung;
  }

  private async liveRuns(): Promise<ReadonlySet<string>> {
    const ids = await Promise.all(RUN_QUEUES.map((queue) => this.jobs.liveIds(queue)));
    return new Set(ids.flatMap((some) => [...some]));
  }
}

async function giveUp(em: EntityManager, run: StuckRun & RunScope, why: Failure): Promise<void> {
  await em.execute(
    `update run set state = 'failed', failure = ?::jsonb, fence = fence + 1, lease_until = null, lease_owner = null, finished_at = now()
      where id = ?`,
    [json(why), run.id],
  );
  if (run.purpose === 'evaluation') {
    await em.execute(
      `update evaluation set state = 'failed', failure = ?::jsonb, finished_at = now()
        where specification_id = ? and dataset_version_id = any(?::uuid[]) and state in ('queued', 'running')
          and predictions is null`,
      [json(why), run.specification, uuidArray(await activeDatasetVersions(em, run.task))],
    );
    markBoardStale(em, run.task);
  }
  await em.execute('select pg_notify(?, ?)', [RUN_CHANNEL, run.id]);
}
