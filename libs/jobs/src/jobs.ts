import type { JobMap, QueueName } from '@assay/contracts';

export interface EnqueueOptions {
  /** Names this piece of work, e.g. `<run>-<attempt>`: while a job of this id is live, adding it again changes nothing. */
  readonly jobId: string;
  /** Milliseconds until a worker may get it (0). */
  readonly delay?: number | undefined;
}

export interface QueueDepth {
  /** Jobs that wait, also for their time. */
  readonly waiting: number;
  /** Jobs that a worker holds. */
  readonly active: number;
}

/** What lies in a queue. */
export interface QueueState {
  readonly name: QueueName;
  /** Jobs that no worker has taken yet. */
  readonly waiting: number;
  readonly active: number;
  /** Jobs that wait for their time. */
  readonly delayed: number;
  readonly failed: number;
  /** When the oldest that waits was added; null: none waits. */
  readonly oldestWaiting: Date | null;
}

/** The queue cannot be reached now. Whether the job was added is not known; adding it again is safe. */
export class JobsUnavailable extends Error {
  constructor(queue: string, options?: ErrorOptions) {
    super(`the queue '${queue}' cannot be reached`, options);
    this.name = 'JobsUnavailable';
  }
}

/**
 * The doorbell of the workers. A job may get lost (a wiped Redis) or run twice (a worker that was frozen), so its worker
 * takes what it does from the database, and a reconciler rings again.
 */
export abstract class Jobs {
  /**
   * Adds a job that some worker of `queue` will get. Once it is done or has failed for good it is forgotten, so the same
   * `jobId` can be added again.
   * @throws JobsUnavailable within 2 s when the queue does not answer; RangeError for an unusable `jobId`.
   */
  abstract enqueue<Q extends QueueName>(queue: Q, payload: JobMap[Q], options: EnqueueOptions): Promise<void>;

  /** Whether a job of this id waits or runs. @throws JobsUnavailable */
  abstract isLive(queue: QueueName, jobId: string): Promise<boolean>;

  /** The ids of all jobs of `queue` that wait or run; one that goes from the one to the other meanwhile may be missing. @throws JobsUnavailable */
  abstract liveIds(queue: QueueName): Promise<ReadonlySet<string>>;

  /** @throws JobsUnavailable */
  abstract depth(queue: QueueName): Promise<QueueDepth>;

  /** How all queues stand, the oldest that waits among it. @throws JobsUnavailable */
  abstract states(): Promise<QueueState[]>;

  /** Lets go of the connections, within 3 s even if nobody answers. */
  abstract close(): Promise<void>;
}
