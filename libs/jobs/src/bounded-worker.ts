import { Origin } from '@assay/contracts';
import { within } from '@assay/kernel';
import { continued, traced, tracedSince } from '@assay/observability';
import { Logger } from '@nestjs/common';
import { DelayedError, type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';
import { Ending } from './ending.js';
import { backendFactory } from './queue-backend.js';

/**
 * Milliseconds that a closing worker waits for its active jobs. Another worker takes over the jobs
 * that do not finish in time.
 */
const BUSY_DEADLINE = 10_000;
const IDLE_DEADLINE = 2000;

/** The duration of a job's lock: far longer than an event loop should be blocked. */
export const LOCK_MILLISECONDS = 60_000;

/** A lost connection is retried soon. */
const DEFAULTS = { lockDuration: LOCK_MILLISECONDS, stalledInterval: 30_000, maxStalledCount: 1, runRetryDelay: 1000 };

/** The part of an ioredis client that is used here. */
interface ParkedClient {
  readonly status: string;
  connect(): Promise<void>;
}

/**
 * A BullMQ worker on the back end that its connection options select. `close` finishes even if the
 * back end does not respond.
 */
export class BoundedWorker extends Worker {
  private readonly ending: Ending;
  private readonly work: Work;

  constructor(name: string, processor: Processor | string | URL | null | undefined, options: WorkerOptions) {
    const ending = new Ending();
    const work: Work = { underWay: 0 };
    super(
      name,
      typeof processor === 'function' ? counted(inItsOrigin(processor), work) : processor,
      { ...DEFAULTS, ...ending.bind(options) },
      backendFactory(options),
    );
    this.ending = ending;
    this.work = work;
    const logger = new Logger('Worker');
    this.on('error', (error) => logger.warn(`worker of '${name}': ${error.message}`));
  }

  override async close(force = false): Promise<void> {
    const closing = super.close(force);
    if (!force && this.work.underWay > 0) await within(BUSY_DEADLINE, closing).catch(() => undefined);
    // ioredis no longer reconnects to a lost Redis, so pending commands fail and `closing` settles
    this.ending.end();
    await within(IDLE_DEADLINE, closing).catch(() => this.endParkedClient(closing));
  }

  /**
   * Reconnects a parked client so that it can end. BullMQ disconnects a client that is waiting to
   * reconnect, which parks it forever; one more attempt lets it finish.
   */
  private async endParkedClient(closing: Promise<void>): Promise<void> {
    const { blockingConnection } = this.backend as unknown as {
      blockingConnection?: { client: Promise<ParkedClient> };
    };
    const end = async (): Promise<void> => {
      const client = await blockingConnection?.client;
      if (client?.status === 'reconnecting') await client.connect().catch(() => undefined);
      await closing;
    };
    await within(IDLE_DEADLINE, end()).catch(() => undefined);
  }
}

type Process = Exclude<Processor, string | URL | null | undefined>;

/** The number of jobs that a worker is processing. */
interface Work {
  underWay: number;
}

/**
 * Counts the active jobs by wrapping the processor. Events do not suffice: a delayed job ends
 * without one, and a stalled job of another worker fails with one.
 */
function counted(process: Process, work: Work): Process {
  return async (...job) => {
    work.underWay++;
    try {
      return (await process(...job)) as unknown;
    } finally {
      work.underWay--;
    }
  };
}

/**
 * Processes a job in its origin (request ID and trace), so that its log lines and spans can be
 * found together with those of the request that enqueued it.
 */
function inItsOrigin(process: Process): Process {
  return (job: Job<{ origin?: unknown }>, ...rest) =>
    continued(Origin.safeParse(job.data.origin).data, async () => {
      const attributes = { 'assay.queue': job.queueName, 'assay.job': job.id ?? '' };
      tracedSince(job.timestamp, `queue ${job.queueName}`, attributes);
      // delaying a job is not a failure, so its span is not marked as failed
      const result: unknown = await traced(`job ${job.queueName}`, attributes, () =>
        Promise.resolve(process(job, ...rest)).catch(putOffOrThrow),
      );
      if (result instanceof DelayedError) throw result;
      return result;
    });
}

function putOffOrThrow(error: unknown): DelayedError {
  if (error instanceof DelayedError) return error;
  throw error;
}
