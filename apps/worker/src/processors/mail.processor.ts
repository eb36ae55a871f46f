import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { EntityManager } from '@mikro-orm/postgresql';
import { Processor, WorkerHost } from '@nestjs/bullmq';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { Job } from 'bullmq';
import { WorkerSettings } from '../worker-settings.js';
import { MailDelivery } from '../mail/mail-delivery.js';

/**
 * A failed mail is retried by the queue, and later enqueued again by `Maintenance`. No other work waits
 * for it.
 */
@Processor('mail' satisfies QueueName, { concurrency: 1 })
export class MailProcessor extends WorkerHost implements OnApplicationShutdown {
  private readonly delivery: MailDelivery | null;

  constructor(
    private readonly em: EntityManager,
    { mail }: WorkerSettings,
  ) {
    super();
    this.delivery = mail && new MailDelivery(mail);
  }

  override async process(job: Job<JobMap['mail']>): Promise<void> {
    const em = this.em.fork();
    if ('confirmationId' in job.data) await this.delivery?.askToConfirm(em, job.data.confirmationId);
    else await this.delivery?.deliver(em, job.data.notificationId);
  }

  onApplicationShutdown(): void {
    this.delivery?.close();
  }
}
