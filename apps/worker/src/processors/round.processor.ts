import { RoundProgress } from '@assay/collection/rounds';
import type { ClosingStep } from '@assay/contracts/collection';
import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { DomainError } from '@assay/kernel';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { UnrecoverableError, type Job } from 'bullmq';
import { failpoint, type Failpoint } from '@assay/observability';
import { SOON } from './soon.js';

const FAILPOINTS: Readonly<Partial<Record<ClosingStep, Failpoint>>> = {
  settle: 'round.settled',
  freeze: 'round.frozen',
  promote: 'round.promoted',
};

@Processor('round' satisfies QueueName, { concurrency: 2, ...SOON })
export class RoundProcessor extends WorkerHost {
  constructor(private readonly progress: RoundProgress) {
    super();
  }

  override async process(job: Job<JobMap['round']>): Promise<void> {
    try {
      await this.progress.advance(job.data.roundId, (step, moment) => {
        const place = FAILPOINTS[step];
        if (place && moment === 'committed') failpoint(place);
      });
    } catch (error) {
      // a domain error would occur again; `Maintenance` enqueues the round later in any case
      if (error instanceof DomainError) throw new UnrecoverableError(error.code);
      throw error;
    }
  }
}
