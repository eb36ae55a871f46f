import { QUEUES, type QueueName } from '@assay/contracts';
import type { Queue } from 'bullmq';
import { BoundedQueue } from './bounded-queue.js';
import { within } from './deadline.js';
import { JobsUnavailable, type QueueState } from './jobs.js';
import { type QueueBackend, queueOptions } from './queue-backend.js';

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

/** Whether the queues answer: one of them is opened and closed again. @throws JobsUnavailable */
export async function probeQueue(backend: QueueBackend): Promise<void> {
  await stateOf('run', backend);
}

async function stateOf(name: QueueName, backend: QueueBackend): Promise<QueueState> {
  const queue = new BoundedQueue(name, queueOptions(backend));
  try {
    return await within(ANSWER_DEADLINE, readState(queue, name));
  } catch (error) {
    throw new JobsUnavailable(name, { cause: error });
  } finally {
    await queue.close();
  }
}

/** How a queue stands that is open already. */
export async function readState(queue: Queue, name: QueueName): Promise<QueueState> {
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
