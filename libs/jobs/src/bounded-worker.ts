import { Origin } from '@assay/contracts';
import { continued, traced, tracedSince } from '@assay/observability';
import { Logger } from '@nestjs/common';
import { DelayedError, type Job, type Processor, Worker, type WorkerOptions } from 'bullmq';
import { within } from './deadline.js';
import { Ending } from './ending.js';
import { backendFactory } from './queue-backend.js';

/** Time for the jobs under way to end when a worker closes; those that do not are taken up by another worker. */
const BUSY_DEADLINE = 10_000;
const IDLE_DEADLINE = 2000;

/** The lock is far longer than a blocked event loop should last, and a lost connection is looked for again soon. */
const DEFAULTS = { lockDuration: 60_000, stalledInterval: 30_000, maxStalledCount: 1, runRetryDelay: 1000 };

/** As ioredis has it. */
interface ParkedClient {
  readonly status: string;
  connect(): Promise<void>;
}

/** A worker on the back end that its connection names, whose closing ends even if the back end does not answer. */
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
    // from now on a lost Redis is not looked for any more, so what waits for it fails and the closing comes to its end
    this.ending.end();
    await within(IDLE_DEADLINE, closing).catch(() => this.endParkedClient(closing));
  }

  /** BullMQ disconnects a client that waits to reconnect, which parks it for ever; one more attempt lets it end. */
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

/** How many jobs a worker has under way. */
interface Work {
  underWay: number;
}

/** By the work itself: a job that is put off ends without an event, and one of another worker that stalled fails with one. */
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

/** Works on a job with the ids of what asked for it, so that its log lines and spans are found together with those. */
function inItsOrigin(process: Process): Process {
  return (job: Job<{ origin?: unknown }>, ...rest) =>
    continued(Origin.safeParse(job.data.origin).data, async () => {
      const attributes = { 'assay.queue': job.queueName, 'assay.job': job.id ?? '' };
      tracedSince(job.timestamp, `queue ${job.queueName}`, attributes);
      // to put a job off is no failure, so it is no span's
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
