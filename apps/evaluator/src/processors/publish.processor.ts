import type { JobMap, QueueName } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { LeaderboardPublisher, overdueBoards } from '@assay/leaderboard';
import { isBoardStale } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { UnrecoverableError, type Job } from 'bullmq';
import { SOON } from './soon.js';

@Processor('publish' satisfies QueueName, { concurrency: 1, ...SOON })
export class PublishProcessor extends WorkerHost {
  constructor(
    private readonly em: EntityManager,
    private readonly publisher: LeaderboardPublisher,
  ) {
    super();
  }

  override async process(job: Job<JobMap['publish']>): Promise<void> {
    const { taskId } = job.data;
    const em = this.em.fork();
    // there is a job for every change, and one publication has seen all those before it
    if (!(await isBoardStale(em, taskId)) && !(await overdueBoards(em)).includes(taskId)) return;
    try {
      await this.publisher.publish(em, taskId);
    } catch (error) {
      // a domain refusal will refuse again; only infrastructure faults deserve a retry
      if (error instanceof DomainError) throw new UnrecoverableError(error.code);
      throw error;
    }
  }
}
