import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { DeploymentHost } from '../serving/deployment-host.js';

/** The queue only starts deployments. After that their leases keep them alive. */
@Processor('placement' satisfies QueueName, { concurrency: 1 })
export class DeploymentProcessor extends WorkerHost {
  constructor(private readonly deployments: DeploymentHost) {
    super();
  }

  override async process(job: Job<JobMap['placement']>): Promise<void> {
    await this.deployments.take(job.data.placementId);
  }
}
