import { within } from '@assay/kernel';
import { Logger } from '@nestjs/common';
import { Queue, type QueueOptions } from 'bullmq';
import { Ending } from './ending.js';
import { backendFactory } from './queue-backend.js';

const CLOSE_DEADLINE = 3000;

/**
 * A BullMQ queue on the back end that its connection options select. `close` finishes even if the
 * back end does not respond.
 */
export class BoundedQueue extends Queue {
  private readonly ending: Ending;

  constructor(name: string, options: QueueOptions) {
    const ending = new Ending();
    super(name, ending.bind(options), backendFactory(options));
    this.ending = ending;
    const logger = new Logger('Queue');
    this.on('error', (error) => logger.warn(`queue '${name}': ${error.message}`));
  }

  override async close(): Promise<void> {
    this.ending.end();
    await within(CLOSE_DEADLINE, super.close()).catch(() => undefined);
  }
}
