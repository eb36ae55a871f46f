import { QUEUES, type QueueName } from '@assay/contracts';
import type { JobType, Queue } from 'bullmq';
import { BoundedQueue } from './bounded-queue.js';
import { within } from './deadline.js';
import { JobsUnavailable, type QueueDepth, type QueueState } from './jobs.js';
import { type QueueBackend, queueOptions } from './queue-backend.js';

const ANSWER_DEADLINE = 2000;
const OLD_END = 100;

/** What waits for its turn alone: where a queue in PostgreSQL is paused, all that waits is counted as `paused`, which BullMQ's type forgets. */
const READY: readonly JobType[] = ['waiting', 'paused' as JobType, 'prioritized'];

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
  const {
    active = 0,
    delayed = 0,
    failed = 0,
    ...ready
  } = await queue.getJobCounts(...READY, 'active', 'delayed', 'failed');
  const waiting = sumOf(ready);
  return { name, waiting, active, delayed, failed, oldestWaiting: await oldestWaiting(queue, waiting) };
}

/** How many jobs wait in a queue, for their turn or their time, and how many are worked on. */
export async function readDepth(queue: Queue): Promise<QueueDepth> {
  const { active = 0, ...waiting } = await queue.getJobCounts(...READY, 'active', 'delayed');
  return { waiting: sumOf(waiting), active };
}

/**
 * Since when the job waits that waits longest. Asked for the oldest, BullMQ's back end in PostgreSQL names the newest: so the old end of the
 * list is read, with enough before it that jobs taken since `waiting` was counted do not empty it.
 */
async function oldestWaiting(queue: Queue, waiting: number): Promise<Date | null> {
  const ids = await queue.getRanges(['waiting'], Math.max(0, waiting - OLD_END), -1);
  const oldest = ids.at(-1);
  const job = oldest === undefined ? undefined : await queue.getJob(oldest);
  return job ? new Date(job.timestamp) : null;
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}
