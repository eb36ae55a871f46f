import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { EvaluationRuns } from '@assay/evaluation/execution';

/** One job at a time: rebuilding an image is bound by the disk and by hashing. */
@Processor('admission' satisfies QueueName, { concurrency: 1 })
export class AdmissionProcessor extends WorkerHost {
  constructor(private readonly runs: EvaluationRuns) {
    super();
  }

  override async process(job: Job<JobMap['admission']>): Promise<void> {
    await this.runs.execute(job.data.runId, 'admission');
  }
}
