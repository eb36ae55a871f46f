import { failure } from '@assay/contracts/models';
import {
  EvaluationRequests,
  failRescore,
  forgetPredictions,
  recordRescore,
  staleEvaluation,
  staleEvaluations,
  type ComputedScore,
  type Evaluation,
} from '@assay/evaluation/evaluations';
import { DomainError } from '@assay/kernel';
import { inTransaction } from '@assay/persistence/queries';
import { BLOB_STORE, type BlobStore, StoredAnswers } from '@assay/storage';
import { RunSpecification } from '@assay/submissions';
import { Task } from '@assay/tasks';
import { BenchmarksService, markBoardStale } from '@assay/tasks/benchmarks';
import { datasetRows } from '@assay/tasks/examples';
import { EntityManager } from '@mikro-orm/postgresql';
import { Inject, Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { failpoint } from '@assay/observability';
import { originalAnswers, scoreComputation, unreadableDataset } from '@assay/evaluation/scoring';

/** The number of rescored evaluations after which the board is updated. */
const BOARD_EVERY = 50;

/** The number of platform errors after which the job is aborted, to be retried later. */
const LARGEST_FAULTS = 20;

/**
 * The stored predictions are missing or do not match the dataset. A run has to create them again.
 */
class PredictionsUnreadable extends Error {}

/**
 * Rescores evaluations from their stored predictions with the code that scores a run. No model
 * runs.
 */
@Injectable()
export class Rescoring implements OnModuleDestroy {
  private readonly logger = new Logger(Rescoring.name);
  private leaving = false;

  constructor(
    private readonly em: EntityManager,
    @Inject(BLOB_STORE) private readonly blobs: BlobStore,
  ) {}

  onModuleDestroy(): void {
    this.leaving = true;
  }

  /**
   * Rescores the stale evaluations of the task until none is left. The work is idempotent and can
   * be stopped at any point: an evaluation is written once, and only if it is unchanged since it
   * was read. A platform error on one evaluation does not stop the others.
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
      const cell = await staleEvaluation(this.em.fork(), task, id);
      return cell !== null && (await this.rescoreOne(task, cell));
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

  private async rescoreOne(task: Task, cell: Evaluation): Promise<boolean> {
    try {
      const score = await this.compute(task, cell);
      failpoint('before-rescore');
      const isWritten = await recordRescore(this.em, task, cell, score);
      failpoint('after-rescore');
      return isWritten;
    } catch (error) {
      const unreadable = unreadableDataset(error, cell);
      if (unreadable) await failRescore(this.em, task, cell, unreadable);
      else if (error instanceof PredictionsUnreadable) await this.runInstead(task, cell, error);
      else if (error instanceof DomainError && error.kind === 'invalid')
        await failRescore(this.em, task, cell, misconfigured(error));
      else throw error;
      this.logger.warn(`evaluation ${cell.id} is not scored again: ${(error as Error).message}`);
      return false;
    }
  }

  private async compute(task: Task, cell: Evaluation): Promise<ComputedScore> {
    const { datasetVersion } = cell;
    const answers = await this.answersOf(cell);
    if (answers.rows !== datasetVersion.examples) {
      throw new PredictionsUnreadable(`${answers.rows} predictions for ${datasetVersion.examples} examples`);
    }
    const original = await originalAnswers(this.em, cell);
    if (original?.kind === 'missing') throw new PredictionsUnreadable(original.failure.message);
    const computation = scoreComputation(task.definition, datasetVersion, this.blobs, original);
    for await (const rows of datasetRows(task.definition, this.blobs.open(datasetVersion.content))) {
      await computation.add(rows, await readable(() => answers.take(rows.length)));
    }
    return computation.finish();
  }

  private answersOf(cell: Evaluation): Promise<StoredAnswers> {
    return readable(async () => StoredAnswers.open(await this.blobs.path(cell.predictions!)));
  }

  /** A cell that has scores keeps them. One that has none yet waits for a run. */
  private async runInstead(task: Task, cell: Evaluation, why: Error): Promise<void> {
    this.logger.warn(`the predictions of evaluation ${cell.id} cannot be used: ${why.message}`);
    await inTransaction(this.em, async (em) => {
      await forgetPredictions(em, cell);
      if (cell.state !== 'queued') return;
      const specification = await em.findOneOrFail(RunSpecification, cell.specification.id);
      await new EvaluationRequests().requestMissing(em, await em.findOneOrFail(Task, task.id), specification);
    });
  }

  private async announce(taskId: string): Promise<void> {
    await this.em.fork().transactional((em) => {
      markBoardStale(em, taskId);
      return Promise.resolve();
    });
  }
}

/**
 * Returns the result of reading stored predictions. An invalid file is a permanent problem; a
 * system error may be temporary and is thrown unchanged.
 * @throws PredictionsUnreadable if the file is invalid
 */
async function readable<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (typeof (error as NodeJS.ErrnoException).errno === 'number') throw error;
    throw new PredictionsUnreadable(`its predictions cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

/** The key of one attempt at an evaluation under the current definition of the task. */
const attempt = (cell: string, task: Task): string => `${cell} ${task.updatedAt.getTime()}`;

const misconfigured = (error: DomainError) => failure('task_misconfigured', error.message);
