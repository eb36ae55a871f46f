import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { Task } from '@assay/tasks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { AnswerScoring } from '../scoring/answer-scoring.js';
import { SCORING_THREADS } from '../scoring/scorer.js';
import { SOON } from './soon.js';

@Processor('answers' satisfies QueueName, { concurrency: SCORING_THREADS, ...SOON })
export class AnswersProcessor extends WorkerHost {
  constructor(
    private readonly em: EntityManager,
    private readonly scoring: AnswerScoring,
  ) {
    super();
  }

  override async process(job: Job<JobMap['answers']>): Promise<void> {
    const task = await this.em.fork().findOne(Task, job.data.taskId);
    if (task) await this.scoring.score(task, job.data.evaluationId);
  }
}
