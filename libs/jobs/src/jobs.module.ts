import { QUEUES, type QueueName } from '@assay/contracts';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { BoundedQueue } from './bounded-queue.js';
import { BoundedWorker } from './bounded-worker.js';
import { BullmqJobs } from './bullmq-jobs.js';
import { Jobs } from './jobs.js';
import { queueBackend, queueOptions } from './queue-backend.js';

export interface JobsModuleOptions {
  /** Where Redis is; without it the queues live in the database. */
  readonly redisUrl?: string | undefined;
  readonly databaseUrl: string;
  /** Connections to the database for each queue and worker (1); see `connectionShares`. */
  readonly connections?: number;
}

/**
 * Gives `Jobs`, and makes workers of the classes that an app marks with `@Processor('run' satisfies QueueName)`.
 * With the queues in the database, an app does not start while that cannot be reached.
 */
@Module({})
export class JobsModule {
  static forRoot(options: JobsModuleOptions): DynamicModule {
    BullModule.queueClass = BoundedQueue;
    BullModule.workerClass = BoundedWorker;
    const backend = queueBackend(options.redisUrl, options.databaseUrl, options.connections ?? 1);

    return {
      module: JobsModule,
      global: true,
      imports: [
        BullModule.forRoot(queueOptions(backend)),
        BullModule.registerQueue(...QUEUES.map((name) => ({ name }))),
      ],
      providers: [
        {
          provide: Jobs,
          inject: QUEUES.map((name) => getQueueToken(name)),
          useFactory: async (...queues: Queue[]) => {
            // the connection to PostgreSQL remembers a failed start for ever, so a process must not begin with one
            if (backend.kind === 'postgres') await Promise.all(queues.map((queue) => queue.waitUntilReady()));
            return new BullmqJobs(new Map(queues.map((queue) => [queue.name as QueueName, queue])));
          },
        },
      ],
      exports: [Jobs],
    };
  }
}
