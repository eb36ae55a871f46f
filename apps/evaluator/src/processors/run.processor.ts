import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { OnApplicationBootstrap } from '@nestjs/common';
import type { Job } from 'bullmq';
import { EvaluatorSettings } from '../host/evaluator-settings.js';
import { EvaluationRuns } from '@assay/evaluation/execution';

@Processor('run' satisfies QueueName)
export class RunProcessor extends WorkerHost implements OnApplicationBootstrap {
  constructor(
    private readonly runs: EvaluationRuns,
    private readonly settings: EvaluatorSettings,
  ) {
    super();
  }

  onApplicationBootstrap(): void {
    this.worker.concurrency = this.settings.runConcurrency;
  }

  override async process(job: Job<JobMap['run']>): Promise<void> {
    await this.runs.execute(job.data.runId, 'evaluation');
  }
}
