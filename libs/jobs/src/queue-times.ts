import { LOCK_MILLISECONDS } from './bounded-worker.js';

/** A connection to the database, as far as it is needed here. */
interface Database {
  execute(query: string, parameters: readonly unknown[]): Promise<unknown>;
}

/**
 * Shortens times of the queue in PostgreSQL that are too far in the future for the clock of the
 * database. BullMQ writes times of the worker's clock: without this, a worker whose clock is an
 * hour ahead prevents for an hour that jobs of ended workers are given to others. Does nothing if
 * the queue is on Redis.
 */
export async function limitQueueTimes(database: Database): Promise<void> {
  await database.execute(
    `delete from bullmq.meta
      where field = 'stalled-check' and value::bigint > extract(epoch from clock_timestamp()) * 1000 + ?`,
    [LOCK_MILLISECONDS],
  );
  // twice the duration: a clock that is a little ahead changes nothing
  await database.execute(
    `update bullmq.job set locked_until_ms = (extract(epoch from clock_timestamp()) * 1000)::bigint + ?
      where state = 'active' and locked_until_ms > extract(epoch from clock_timestamp()) * 1000 + ?`,
    [LOCK_MILLISECONDS, 2 * LOCK_MILLISECONDS],
  );
}
