import type { JobMap, QueueName } from '@assay/contracts';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { PlacementHost } from '../placements/placement-host.js';

/** The queue only starts deployments. After that their leases keep them alive. */
@Processor('placement' satisfies QueueName, { concurrency: 1 })
export class PlacementProcessor extends WorkerHost {
  constructor(private readonly placements: PlacementHost) {
    super();
  }

  override async process(job: Job<JobMap['placement']>): Promise<void> {
    await this.placements.take(job.data.placementId);
  }
}
