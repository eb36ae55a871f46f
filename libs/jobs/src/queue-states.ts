import { QUEUES, type QueueName } from '@assay/contracts/webhooks';
import { within } from '@assay/kernel';
import type { JobType, Queue } from 'bullmq';
import { BoundedQueue } from './bounded-queue.js';
import { JobsUnavailable, type QueueDepth, type QueueState } from './jobs.js';
import { type QueueBackend, queueOptions } from './queue-backend.js';

const ANSWER_DEADLINE = 2000;
const OLD_END = 100;

/**
 * The job states that are ready to run. In PostgreSQL, a paused queue counts all its waiting jobs
 * as `paused`, a state that is missing from BullMQ's type.
 */
const READY: readonly JobType[] = ['waiting', 'paused' as JobType, 'prioritized'];

/**
 * Returns the state of every queue, for a process that does not work on the queues. Opens and
 * closes one queue after the other, so that it holds at most one connection and none permanently.
 *
 * @throws JobsUnavailable
 */
export function queueStates(backend: QueueBackend): Promise<QueueState[]> {
  return Array.fromAsync(QUEUES, (name) => stateOf(name, backend));
}

/**
 * Checks that the queues respond, by opening and closing one of them.
 *
 * @throws JobsUnavailable
 */
export async function probeQueue(backend: QueueBackend): Promise<void> {
  await stateOf('publish', backend);
}

async function stateOf(name: QueueName, backend: QueueBackend): Promise<QueueState> {
  const queue = new BoundedQueue(name, queueOptions(backend));
  try {
    return await answered(name, readState(queue, name));
  } finally {
    await queue.close();
  }
}

/**
 * Returns the answer of a queue.
 *
 * @throws JobsUnavailable if there is none within `ANSWER_DEADLINE`
 */
export async function answered<T>(name: QueueName, answer: Promise<T>): Promise<T> {
  try {
    return await within(ANSWER_DEADLINE, answer);
  } catch (error) {
    throw new JobsUnavailable(name, { cause: error });
  }
}

/** Returns the state of a queue that is already open. */
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

/**
 * Counts the jobs of a queue: `waiting` includes delayed jobs, and `active` jobs are held by a
 * worker.
 */
export async function readDepth(queue: Queue): Promise<QueueDepth> {
  const { active = 0, ...waiting } = await queue.getJobCounts(...READY, 'active', 'delayed');
  return { waiting: sumOf(waiting), active };
}

/**
 * Returns when the oldest waiting job was added, or null if none is waiting. BullMQ's PostgreSQL
 * back end returns the newest job when asked for the oldest. Therefore this reads the old end of
 * the list: the last `OLD_END` entries, so that jobs taken since `waiting` was counted do not empty
 * the range.
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
