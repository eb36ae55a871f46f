import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { DomainError } from '@assay/kernel';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import { UnrecoverableError, type Job } from 'bullmq';
import { ResultSigner } from '../signing/result-signer.js';
import { SOON } from './soon.js';

@Processor('sign' satisfies QueueName, { concurrency: 1, ...SOON })
export class SignProcessor extends WorkerHost {
  constructor(private readonly signer: ResultSigner) {
    super();
  }

  override async process(job: Job<JobMap['sign']>): Promise<void> {
    try {
      await this.signer.sign(job.data.modelId);
    } catch (error) {
      // a model without scores gets another job when it has some
      if (error instanceof DomainError) throw new UnrecoverableError(error.code);
      throw error;
    }
  }
}
