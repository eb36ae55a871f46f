import { failure, type Failure } from '@assay/contracts/models';
import { enqueueEach, type Jobs } from '@assay/jobs';
import { continued } from '@assay/observability';
import { withAdvisoryLock } from '@assay/persistence/locks';
import { inTransaction } from '@assay/persistence/queries';
import { RunSpecificationRepository } from '@assay/submissions';
import { markBoardStale, StaleBoardRepository } from '@assay/tasks/benchmarks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { activeCells } from './evaluations/active-datasets.js';
import { EvaluationRepository } from './evaluations/evaluation.repository.js';
import { settleModels } from './outcomes/model-states.js';
import { jobOfRun, enqueueBoard, enqueueRun } from './outbox-dispatcher.js';
import { enqueueScores, tasksWithStaleScores } from './evaluations/scores.js';
import { LARGEST_ATTEMPTS, platformFailure } from './outcomes/run-outcome.js';
import { RunRepository, type Stuck, type StuckRun } from './runs/run.repository.js';

/** Seconds after which the publish job of a stale board is assumed to be lost. */
const STALE_SECONDS = 15;

export interface Reconciliation {
  /** Runs that were requeued because their lease had expired. */
  readonly requeued: number;
  /** Runs that failed because their deadline passed or the platform failed too often. */
  readonly failed: number;
  /**
   * Queued runs of predictions files, tasks with stale scores and stale boards that had no live job
   * and were enqueued again.
   */
  readonly enqueued: number;
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
      enqueued: await this.enqueueLost(),
    }));
  }

  private failOverdue(): Promise<number> {
    const why = failure('deadline_passed', 'The run did not finish by its deadline.');
    return this.each({ kind: 'overdue' }, (em, run) => giveUp(em, run, why));
  }

  private failHopeless(): Promise<number> {
    const why = platformFailure('the evaluator stopped before the run ended.');
    return this.each({ kind: 'hopeless', attempts: LARGEST_ATTEMPTS }, (em, run) => giveUp(em, run, why));
  }

  private requeueExpired(): Promise<number> {
    return this.each({ kind: 'expired' }, async (em, run) => {
      await new RunRepository(em).requeueExpired(run.id);
      await new EvaluationRepository(em).release(run.id);
    });
  }

  /**
   * Changes each stuck run in its own transaction, after checking the reason again under the locks.
   * @returns the number of changed runs
   */
  private async each(why: Stuck, change: (em: EntityManager, run: StuckRun) => Promise<void>): Promise<number> {
    let changed = 0;
    for (const run of await new RunRepository(this.em.fork()).stuck(why)) {
      changed += await inTransaction(this.em, async (em) => {
        await new RunSpecificationRepository(em).lock(run.specification);
        if (!(await new RunRepository(em).isStuck(run.id, why))) return 0;
        await change(em, run);
        await settleModels(em, run);
        return 1;
      });
    }
    return changed;
  }

  private async enqueueLost(): Promise<number> {
    const waiting = await new RunRepository(this.em.fork()).queuedPredictions();
    // thousands of runs may wait: one lookup for each would block the queue for everybody else
    const live = waiting.length > 0 ? await this.jobs.liveIds('predictions') : new Set<string>();
    const lost = waiting
      .map(({ id, stage, kind, fence, origin }) => ({ run: { runId: id, stage, kind, attempt: fence }, origin }))
      .filter(({ run }) => !live.has(jobOfRun(run)));
    const stale = await tasksWithStaleScores(this.em.fork());
    const boards = await new StaleBoardRepository(this.em.fork()).staleFor(STALE_SECONDS);
    return (
      (await enqueueEach(lost, ({ run, origin }) => continued(origin, () => enqueueRun(this.jobs, run)))) +
      (await enqueueEach(stale, (task) => enqueueScores(this.jobs, task))) +
      (await enqueueEach(boards, (task) => enqueueBoard(this.jobs, task)))
    );
  }
}

async function giveUp(em: EntityManager, run: StuckRun, why: Failure): Promise<void> {
  await new RunRepository(em).fail(run.id, why);
  if (run.purpose !== 'evaluation') return;
  await new EvaluationRepository(em).endMissing(await activeCells(em, run), { state: 'failed', failure: why });
  markBoardStale(em, run.task);
}
