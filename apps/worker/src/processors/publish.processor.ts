import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { DomainError } from '@assay/kernel';
import { BoardRevisionRepository, LeaderboardPublisher } from '@assay/leaderboard/boards';
import { StaleBoardRepository } from '@assay/tasks/benchmarks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { DelayedError, UnrecoverableError, type Job } from 'bullmq';
import { failpoint } from '@assay/observability';
import { SOON } from './soon.js';

/**
 * Milliseconds above which a publication is long: the evaluator then does other work before it
 * publishes the same board again.
 */
const LONG = 1000;

@Processor('publish' satisfies QueueName, { concurrency: 1, ...SOON })
export class PublishProcessor extends WorkerHost {
  /** The time until which other work comes first, by task ID, on the clock of `performance`. */
  private readonly rests = new Map<string, number>();

  constructor(
    private readonly em: EntityManager,
    private readonly publisher: LeaderboardPublisher,
  ) {
    super();
  }

  override async process(job: Job<JobMap['publish']>, token?: string): Promise<void> {
    const { taskId } = job.data;
    const em = this.em.fork();
    // every change enqueues a job, and one publication covers all changes before it
    const isStale = await new StaleBoardRepository(em).isStale(taskId);
    if (!isStale && !(await new BoardRevisionRepository(em).overdueTasks()).includes(taskId)) return;
    const rest = (this.rests.get(taskId) ?? 0) - performance.now();
    if (rest > 0) {
      await job.moveToDelayed(Date.now() + rest, token);
      throw new DelayedError();
    }
    await this.publish(em, taskId);
  }

  private async publish(em: EntityManager, taskId: string): Promise<void> {
    const started = performance.now();
    try {
      failpoint('before-publish');
      await this.publisher.publish(em, taskId);
      failpoint('after-publish');
    } catch (error) {
      // a domain error would occur again: only infrastructure errors are worth a retry
      if (error instanceof DomainError) throw new UnrecoverableError(error.code);
      throw error;
    } finally {
      this.restAfter(taskId, performance.now() - started);
    }
  }

  private restAfter(taskId: string, took: number): void {
    if (took < LONG) this.rests.delete(taskId);
    else this.rests.set(taskId, performance.now() + took);
  }
}
