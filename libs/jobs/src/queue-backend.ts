import {
  createPostgresBackend,
  createRedisBackend,
  type BackendFactory,
  type QueueOptions,
  type RedisQueueBackend,
} from 'bullmq';

/** The back end that stores the queues. */
export type QueueBackend =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly connections: number };

/**
 * Selects Redis if there is a URL for it, otherwise the database. `connections` limits the
 * connection pool of each queue and worker in the database.
 */
export function queueBackend(redisUrl: string | undefined, databaseUrl: string, connections: number): QueueBackend {
  return redisUrl === undefined
    ? { kind: 'postgres', url: databaseUrl, connections }
    : { kind: 'redis', url: redisUrl };
}

/** The options that all queues and workers of a process share. */
export function queueOptions(backend: QueueBackend): QueueOptions {
  return {
    connection: connection(backend),
    skipWaitingForReady: true,
    defaultJobOptions: {
      attempts: 3,
      backoff: { type: 'exponential', delay: 1000 },
      // a job that stays in the queue would silently swallow the next job with the same ID
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}

/**
 * Returns the back-end factory for a connection. BullMQ does not infer the back end from the
 * options.
 */
export function backendFactory(options: Pick<QueueOptions, 'connection'>): BackendFactory<RedisQueueBackend> {
  const factory = 'connectionString' in options.connection ? createPostgresBackend : createRedisBackend;
  // BullMQ types a queue by its back end, but both back ends implement the interface that is used
  // here
  return factory as unknown as BackendFactory<RedisQueueBackend>;
}

function connection(backend: QueueBackend): QueueOptions['connection'] {
  if (backend.kind === 'redis') {
    return { url: backend.url, maxRetriesPerRequest: null };
  }
  return {
    connectionString: backend.url,
    max: backend.connections,
    // the owner of the database creates the tables: see migrateQueue
    migrate: false,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'assay-queue',
    // the database's own records say what is to be done, so a job lost in a crash is enqueued again
    // and none needs to wait for the disk
    options: '-c synchronous_commit=off',
  };
}
