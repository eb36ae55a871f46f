import { staleEvaluations } from '@assay/evaluation/evaluations';
import { inTransaction } from '@assay/persistence/queries';
import { Task } from '@assay/tasks';
import { BenchmarksService, markBoardStale } from '@assay/tasks/benchmarks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { AnswerScoring } from './answer-scoring.js';

/** The number of rescored evaluations after which the board is updated. */
const BOARD_EVERY = 50;

/** The number of platform errors after which the job is aborted, to be retried later. */
const LARGEST_FAULTS = 20;

/**
 * Scores all evaluations of a task whose scores are not from its current definition, or which have
 * none yet.
 */
@Injectable()
export class Rescoring implements OnModuleDestroy {
  private readonly logger = new Logger(Rescoring.name);
  private leaving = false;

  constructor(
    private readonly em: EntityManager,
    private readonly scoring: AnswerScoring,
  ) {}

  onModuleDestroy(): void {
    this.leaving = true;
  }

  /**
   * Rescores the stale evaluations of the task until none is left. The work can be stopped at any
   * point. A platform error on one evaluation does not stop the others.
   * @returns the number of evaluations written
   * @throws the first platform error, after the rest is done or `LARGEST_FAULTS` errors have
   *   occurred
   */
  async rescore(taskId: string): Promise<number> {
    await this.renewBenchmark(taskId);
    const faults: unknown[] = [];
    let written = 0;
    const seen = new Set<string>();
    for (;;) {
      const em = this.em.fork();
      // read again in each iteration, because the definition may have changed
      const task = await em.findOne(Task, taskId);
      if (!task) return written;
      const stale = (await staleEvaluations(em, task)).filter((id) => !seen.has(attempt(id, task)));
      if (stale.length === 0) break;
      for (const id of stale) {
        if (this.leaving) return written;
        seen.add(attempt(id, task));
        const done = await this.tryOne(task, id, faults);
        if (faults.length === LARGEST_FAULTS) throw faults[0];
        if (done && ++written % BOARD_EVERY === 0) await this.announce(taskId);
      }
    }
    if (written > 0) await this.announce(taskId);
    if (faults.length > 0) throw faults[0];
    return written;
  }

  private async tryOne(task: Task, id: string, faults: unknown[]): Promise<boolean> {
    try {
      return await this.scoring.score(task, id);
    } catch (error) {
      this.logger.error({ message: `evaluation ${id} could not be scored again`, err: error });
      faults.push(error);
      return false;
    }
  }

  /**
   * Creates a new benchmark version if the versions of metrics have changed, so that scores under
   * the new versions do not change old boards.
   */
  private async renewBenchmark(taskId: string): Promise<void> {
    await inTransaction(this.em, async (em) => {
      const task = await em.findOne(Task, taskId);
      if (task) await new BenchmarksService().metricsChanged(em, task);
    });
  }

  private async announce(taskId: string): Promise<void> {
    await this.em.fork().transactional((em) => {
      markBoardStale(em, taskId);
      return Promise.resolve();
    });
  }
}

/** The key of one attempt at an evaluation under the current definition of the task. */
const attempt = (cell: string, task: Task): string => `${cell} ${task.updatedAt.getTime()}`;
