import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { EvaluationRuns } from '@assay/evaluation/execution';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';

/** Checks and scores predictions files. They need no sandbox, so they never wait for a model. */
@Processor('predictions' satisfies QueueName, { concurrency: 2 })
export class PredictionsProcessor extends WorkerHost {
  constructor(private readonly runs: EvaluationRuns) {
    super();
  }

  override async process({ data }: Job<JobMap['predictions']>): Promise<void> {
    await this.runs.execute(data.runId, data.stage);
  }
}
