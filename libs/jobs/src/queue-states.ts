import { QUEUES, type QueueName } from '@assay/contracts';
import { BoundedQueue } from './bounded-queue.js';
import { within } from './deadline.js';
import { JobsUnavailable } from './jobs.js';
import { type QueueBackend, queueOptions } from './queue-backend.js';

/** What lies in a queue. */
export interface QueueState {
  readonly name: QueueName;
  /** Jobs that no worker has taken yet. */
  readonly waiting: number;
  readonly active: number;
  /** Jobs that wait for their retry. */
  readonly delayed: number;
  readonly failed: number;
  /** When the oldest that waits was added; null: none waits. */
  readonly oldestWaiting: Date | null;
}

const ANSWER_DEADLINE = 2000;

/**
 * How all queues stand, for a process that does not work on them: each is opened in turn and closed again, so that it takes one connection
 * for a moment, and none for good.
 * @throws JobsUnavailable
 */
export async function queueStates(backend: QueueBackend): Promise<QueueState[]> {
  const states: QueueState[] = [];
  for (const name of QUEUES) states.push(await stateOf(name, backend));
  return states;
}

async function stateOf(name: QueueName, backend: QueueBackend): Promise<QueueState> {
  const queue = new BoundedQueue(name, queueOptions(backend));
  try {
    return await within(ANSWER_DEADLINE, read(queue, name));
  } catch (error) {
    throw new JobsUnavailable(name, { cause: error });
  } finally {
    await queue.close();
  }
}

async function read(queue: BoundedQueue, name: QueueName): Promise<QueueState> {
  const counts = await queue.getJobCounts('waiting', 'prioritized', 'active', 'delayed', 'failed');
  const { waiting = 0, prioritized = 0, active = 0, delayed = 0, failed = 0 } = counts;
  const [oldest] = await queue.getWaiting(0, 0);
  return {
    name,
    waiting: waiting + prioritized,
    active,
    delayed,
    failed,
    oldestWaiting: oldest ? new Date(oldest.timestamp) : null,
  };
}
