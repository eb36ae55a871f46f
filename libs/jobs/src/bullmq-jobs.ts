import type { JobMap, QueueName } from '@assay/contracts/webhooks';
import { currentOrigin } from '@assay/observability';
import type { Queue } from 'bullmq';
import { answered, readDepth, readState } from './queue-states.js';
import { type EnqueueOptions, Jobs, type QueueDepth, type QueueState } from './jobs.js';

const LIVE_STATES = ['waiting', 'prioritized', 'delayed', 'active'] as const;

/** `Jobs` on BullMQ queues, on either back end. */
export class BullmqJobs extends Jobs {
  private closing: Promise<void> | null = null;

  constructor(private readonly queues: ReadonlyMap<QueueName, Queue>) {
    super();
  }

  async enqueue<Q extends QueueName>(
    queue: Q,
    payload: JobMap[Q],
    { jobId, delay = 0 }: EnqueueOptions,
  ): Promise<void> {
    // BullMQ reserves all-digit IDs for those it generates, and uses the colon as a separator in
    // its keys
    if (!/^(?!\d+$)[^:]+$/.test(jobId)) throw new RangeError(`'${jobId}' is not a valid job ID`);
    const origin = currentOrigin();
    const data = origin ? { ...payload, origin } : payload;
    await this.answered(queue, (target) => target.add(queue, data, { jobId, delay }));
  }

  async isLive(queue: QueueName, jobId: string): Promise<boolean> {
    const job = await this.answered(queue, (target) => target.getJob(jobId));
    return job !== undefined;
  }

  async liveIds(queue: QueueName): Promise<ReadonlySet<string>> {
    return new Set(await this.answered(queue, (target) => target.getRanges([...LIVE_STATES], 0, -1)));
  }

  depth(queue: QueueName): Promise<QueueDepth> {
    return this.answered(queue, readDepth);
  }

  states(): Promise<QueueState[]> {
    return Promise.all([...this.queues.keys()].map((name) => this.answered(name, (queue) => readState(queue, name))));
  }

  close(): Promise<void> {
    this.closing ??= Promise.all([...this.queues.values()].map((queue) => queue.close())).then(() => undefined);
    return this.closing;
  }

  private async answered<T>(name: QueueName, ask: (queue: Queue) => Promise<T>): Promise<T> {
    const queue = this.queues.get(name);
    if (!queue) throw new Error(`there is no queue '${name}'`);
    return await answered(name, ask(queue));
  }
}
