import { Logger } from '@nestjs/common';
import { Queue, type QueueOptions } from 'bullmq';
import { within } from './deadline.js';
import { backendFactory } from './queue-backend.js';

const CLOSE_DEADLINE = 3000;

/** A queue on the back end that its connection names, whose closing ends even if the back end does not answer. */
export class BoundedQueue extends Queue {
  private readonly logger = new Logger('Queue');

  constructor(name: string, options: QueueOptions) {
    super(name, options, backendFactory(options));
    this.on('error', (error) => this.logger.warn(`queue '${name}': ${error.message}`));
  }

  override async close(): Promise<void> {
    await within(CLOSE_DEADLINE, super.close()).catch(() => within(CLOSE_DEADLINE, this.cut()).catch(() => undefined));
  }

  private async cut(): Promise<void> {
    await this.disconnect();
  }
}
