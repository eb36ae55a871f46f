import { Logger } from '@nestjs/common';
import { type Processor, Worker, type WorkerOptions } from 'bullmq';
import { within } from './deadline.js';
import { backendFactory } from './queue-backend.js';

/** Time for the jobs under way to end when a worker closes; those that do not are taken up by another worker. */
const CLOSE_DEADLINE = 10_000;
const FORCED_CLOSE_DEADLINE = 2000;

/** The lock is far longer than a blocked event loop should last, and a lost connection is looked for again soon. */
const DEFAULTS = { lockDuration: 60_000, stalledInterval: 30_000, maxStalledCount: 1, runRetryDelay: 1000 };

/** A worker on the back end that its connection names, whose closing ends even if the back end does not answer. */
export class BoundedWorker extends Worker {
  private readonly logger = new Logger('Worker');

  constructor(name: string, processor: Processor | string | URL | null | undefined, options: WorkerOptions) {
    super(name, processor, { ...DEFAULTS, ...options }, backendFactory(options));
    this.on('error', (error) => this.logger.warn(`worker of '${name}': ${error.message}`));
  }

  override async close(force = false): Promise<void> {
    const deadline = force ? FORCED_CLOSE_DEADLINE : CLOSE_DEADLINE;
    await within(deadline, super.close(force)).catch(() =>
      within(FORCED_CLOSE_DEADLINE, this.disconnect()).catch(() => undefined),
    );
  }
}
