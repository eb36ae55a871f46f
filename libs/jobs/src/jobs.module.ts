import { QUEUES, type QueueName } from '@assay/contracts/webhooks';
import { BullModule, getQueueToken } from '@nestjs/bullmq';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Queue } from 'bullmq';
import { BoundedQueue } from './bounded-queue.js';
import { BoundedWorker } from './bounded-worker.js';
import { BullmqJobs } from './bullmq-jobs.js';
import { Jobs } from './jobs.js';
import { queueBackend, queueOptions } from './queue-backend.js';

export interface JobsModuleOptions {
  /** The URL of Redis. Without it the queues are in the database. */
  readonly redisUrl?: string | undefined;
  readonly databaseUrl: string;
  /** Database connections for each queue and worker (default 1); see `connectionShares`. */
  readonly connections?: number;
  /** The queues that the app adds to or asks for their state. Default: all. */
  readonly queues?: readonly QueueName[];
}

/**
 * Provides `Jobs`, and creates a worker for each class that an app marks with
 * `@Processor('publish' satisfies QueueName)`. If the queues are in the database, the app does not
 * start while the database is unreachable.
 */
@Module({})
export class JobsModule {
  static forRoot(options: JobsModuleOptions): DynamicModule {
    BullModule.queueClass = BoundedQueue;
    BullModule.workerClass = BoundedWorker;
    const { queues: names = QUEUES } = options;
    const backend = queueBackend(options.redisUrl, options.databaseUrl, options.connections ?? 1);

    return {
      module: JobsModule,
      global: true,
      imports: [
        BullModule.forRoot(queueOptions(backend)),
        BullModule.registerQueue(...names.map((name) => ({ name }))),
      ],
      providers: [
        {
          provide: Jobs,
          inject: names.map((name) => getQueueToken(name)),
          useFactory: async (...queues: Queue[]) => {
            // BullMQ's PostgreSQL connection never recovers from a failed start, so fail the
            // process instead
            if (backend.kind === 'postgres') await Promise.all(queues.map((queue) => queue.waitUntilReady()));
            return new BullmqJobs(new Map(queues.map((queue) => [queue.name as QueueName, queue])));
          },
        },
      ],
      exports: [Jobs],
    };
  }
}
