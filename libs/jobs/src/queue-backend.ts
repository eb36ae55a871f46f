import {
  createPostgresBackend,
  createRedisBackend,
  type BackendFactory,
  type QueueOptions,
  type RedisQueueBackend,
} from 'bullmq';

/** Where the queues live. */
export type QueueBackend =
  | { readonly kind: 'redis'; readonly url: string }
  | { readonly kind: 'postgres'; readonly url: string; readonly connections: number };

/** Redis where there is one, else the database; `connections` bounds the pool of each queue and worker in the database. */
export function queueBackend(redisUrl: string | undefined, databaseUrl: string, connections: number): QueueBackend {
  return redisUrl === undefined
    ? { kind: 'postgres', url: databaseUrl, connections }
    : { kind: 'redis', url: redisUrl };
}

/** The options that every queue and worker of one process has in common. */
export function queueOptions(backend: QueueBackend): QueueOptions {
  return {
    connection: connection(backend),
    skipWaitingForReady: true,
    defaultJobOptions: {
      attempts: 3,
      backoff: { type: 'exponential', delay: 1000 },
      // a job that is kept would silently swallow the next one of its id
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}

/** The factory for a connection: BullMQ tells its back ends apart only by what it is given. */
export function backendFactory(options: Pick<QueueOptions, 'connection'>): BackendFactory<RedisQueueBackend> {
  const factory = 'connectionString' in options.connection ? createPostgresBackend : createRedisBackend;
  // BullMQ types a queue by its back end, but all of them answer to the same interface, and no other is used here
  return factory as unknown as BackendFactory<RedisQueueBackend>;
}

function connection(backend: QueueBackend): QueueOptions['connection'] {
  if (backend.kind === 'redis') {
    return { url: backend.url, maxRetriesPerRequest: null };
  }
  return {
    connectionString: backend.url,
    max: backend.connections,
    // its owner makes the tables: see migrateQueue
    migrate: false,
    connectionTimeoutMillis: 10_000,
    keepAlive: true,
    application_name: 'assay-queue',
    // the database's own records say what is to be done: a job that its crash takes away is rung for again, so none waits for its disk
    options: '-c synchronous_commit=off',
  };
}
