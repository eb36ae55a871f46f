import type { Environment } from '@assay/contracts';
import { QUEUES } from '@assay/contracts/webhooks';

/** The number of processes of each kind that share the database. */
export interface Processes {
  readonly api: number;
  readonly worker: number;
}

/** Returns the configured numbers of processes. */
export const processesOf = (environment: Environment): Processes => ({
  api: environment.ASSAY_API_PROCESSES,
  worker: environment.ASSAY_WORKER_PROCESSES,
});

/** The connections that one process may hold, by their use. */
export interface ConnectionShare {
  /** The ORM's pool: `databaseOptions({ poolMax })`. */
  readonly pool: number;
  /**
   * The pool of each queue and of each worker, if the queue is in PostgreSQL: `connections` of
   * `JobsModule.forRoot`.
   */
  readonly queue: number;
  /** The dedicated connection of `Notifications`. */
  readonly listener: 1;
}

const LISTENER = 1;
const QUEUE_POOL = 1;
/** A worker holds a pool and one connection that listens. */
const WORKER_CONNECTIONS = QUEUE_POOL + 1;
const SMALLEST_POOL = 2;
const API_WEIGHT = 2;

/**
 * Divides the budget of database connections; no other code does. `total` is for all processes
 * together. It must stay below the server's `max_connections` (100 by default, of which 3 are
 * reserved), with room for migrations and an operator's session.
 *
 * Each process first takes a fixed number: one listener, and a worker three for every queue, because it
 * adds to all and works on all. The rest goes to the ORM's pools: two parts to an API process, one to a
 * worker.
 * @throws RangeError if a pool would get fewer than 2 connections; the message says how many are
 * needed
 */
export function connectionShares(total: number, processes: Processes): Record<keyof Processes, ConnectionShare> {
  const fixed = {
    api: LISTENER,
    worker: LISTENER + QUEUES.length * (QUEUE_POOL + WORKER_CONNECTIONS),
  };
  const parts = processes.api * API_WEIGHT + processes.worker;
  const taken = processes.api * fixed.api + processes.worker * fixed.worker;
  const part = Math.floor((total - taken) / Math.max(parts, 1));
  if (part < SMALLEST_POOL) {
    throw new RangeError(
      `${total} database connections are too few for ${processes.api} API and ${processes.worker} worker processes. ` +
        `Set ASSAY_DB_CONNECTIONS to at least ${taken + parts * SMALLEST_POOL}.`,
    );
  }

  return {
    api: { pool: part * API_WEIGHT, queue: QUEUE_POOL, listener: LISTENER },
    worker: { pool: part, queue: QUEUE_POOL, listener: LISTENER },
  };
}
