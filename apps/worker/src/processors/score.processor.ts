import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { SOON } from './soon.js';
import { Rescoring } from '../scoring/rescoring.js';

@Processor('score' satisfies QueueName, { concurrency: 1, ...SOON })
export class ScoreProcessor extends WorkerHost {
  constructor(private readonly rescoring: Rescoring) {
    super();
  }

  override async process(job: Job<JobMap['score']>): Promise<void> {
    await this.rescoring.rescore(job.data.taskId);
  }
}
