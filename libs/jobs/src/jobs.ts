import type { JobMap, QueueName } from '@assay/contracts/webhooks';

export interface EnqueueOptions {
  /**
   * Identifies the piece of work, for example `<run>-<attempt>`. While a job with this ID is live,
   * enqueuing it again has no effect.
   */
  readonly jobId: string;
  /** Milliseconds before a worker may take the job. Default: 0. */
  readonly delay?: number | undefined;
}

export interface QueueDepth {
  /** Jobs that wait, including delayed ones. */
  readonly waiting: number;
  /** Jobs that a worker is processing. */
  readonly active: number;
}

/** The contents of a queue. */
export interface QueueState {
  readonly name: QueueName;
  /** Jobs that are ready and that no worker has taken yet. */
  readonly waiting: number;
  readonly active: number;
  /** Jobs that are not due yet. */
  readonly delayed: number;
  readonly failed: number;
  /** When the oldest waiting job was added; null if none is waiting. */
  readonly oldestWaiting: Date | null;
}

/**
 * The queue cannot be reached at the moment. The job may or may not have been added; adding it
 * again is safe.
 */
export class JobsUnavailable extends Error {
  constructor(queue: string, options?: ErrorOptions) {
    super(`the queue '${queue}' cannot be reached`, options);
    this.name = 'JobsUnavailable';
  }
}

/**
 * Adds a job unless one with its ID is live.
 * @returns false if one is live
 * @throws JobsUnavailable
 */
export async function enqueueUnlessLive<Q extends QueueName>(
  jobs: Pick<Jobs, 'enqueue' | 'isLive'>,
  queue: Q,
  payload: JobMap[Q],
  options: EnqueueOptions,
): Promise<boolean> {
  if (await jobs.isLive(queue, options.jobId)) return false;
  await jobs.enqueue(queue, payload, options);
  return true;
}

/** Enqueues jobs one after the other, and returns how many were added. */
export const enqueueEach = async <T>(all: Iterable<T>, enqueue: (each: T) => Promise<boolean>): Promise<number> =>
  (await Array.fromAsync(all, enqueue)).filter(Boolean).length;

/**
 * The port through which the workers are notified of work. A job may be lost (a wiped Redis) or run
 * twice (a worker that was frozen). Workers therefore read their work from the database, and a
 * reconciler enqueues missing jobs again.
 */
export abstract class Jobs {
  /**
   * Adds a job that one worker of `queue` will process. When the job is done or has finally failed,
   * it is removed, so the same `jobId` can be added again.
   *
   * @throws JobsUnavailable within 2 s if the queue does not respond
   * @throws RangeError if `jobId` consists of digits only, is empty or contains a colon
   */
  abstract enqueue<Q extends QueueName>(queue: Q, payload: JobMap[Q], options: EnqueueOptions): Promise<void>;

  /**
   * Returns whether a job with this ID is waiting or active.
   *
   * @throws JobsUnavailable
   */
  abstract isLive(queue: QueueName, jobId: string): Promise<boolean>;

  /**
   * Returns the IDs of all waiting and active jobs of `queue`. A job that changes from one state to
   * the other during the call may be missing.
   *
   * @throws JobsUnavailable
   */
  abstract liveIds(queue: QueueName): Promise<ReadonlySet<string>>;

  /**
   * Counts the waiting and active jobs of `queue`.
   *
   * @throws JobsUnavailable
   */
  abstract depth(queue: QueueName): Promise<QueueDepth>;

  /**
   * Returns the state of every queue, including when the oldest waiting job was added.
   *
   * @throws JobsUnavailable
   */
  abstract states(): Promise<QueueState[]>;

  /** Closes the connections, within 3 s even if the back end does not respond. */
  abstract close(): Promise<void>;
}
