import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { Jobs } from '@assay/jobs';
import { enqueueNext } from '@assay/notifications/webhooks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { Job } from 'bullmq';
import { WebhookSender } from '../webhooks/webhook-sender.js';

/** A delivery that fails is retried when it is due: `Maintenance` enqueues it. */
@Processor('webhook' satisfies QueueName, { concurrency: 4 })
export class WebhookProcessor extends WorkerHost {
  constructor(
    private readonly em: EntityManager,
    private readonly sender: WebhookSender,
    private readonly jobs: Jobs,
  ) {
    super();
  }

  override async process(job: Job<JobMap['webhook']>): Promise<void> {
    const sent = await this.sender.send(job.data.deliveryId);
    if (sent) await enqueueNext(this.em.fork(), this.jobs, sent);
  }
}
