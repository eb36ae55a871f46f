import { type EventMap, parseEvent } from '@assay/contracts/webhooks';
import { enqueueUnlessLive, type Jobs } from '@assay/jobs';
import { Outbox, type OutboxRecord } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { requestForAllModels } from './evaluations/evaluation-requests.js';
import { enqueueScores } from './evaluations/scores.js';

/** Milliseconds after which an event yields to the events behind it. */
const LONGEST = 1_000;

/**
 * Turns outbox events into jobs and requests. Idempotent: a live job is not added again. Ignores
 * other events.
 */
export class OutboxDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue' | 'isLive'>,
    private readonly longest = LONGEST,
  ) {}

  /**
   * The handler of an `OutboxRelay`.
   * @throws JobsUnavailable, so that the relay delivers the event again
   */
  readonly dispatch = async (record: OutboxRecord): Promise<void> => {
    const event = parseEvent(record);
    switch (event?.type) {
      case 'run.requested':
        // evaluators find the runs of other artifacts in the database
        if (event.payload.kind === 'predictions') await this.jobs.enqueue(...jobFor(event.payload));
        return;
      case 'answers.stored':
        return this.jobs.enqueue('answers', event.payload, { jobId: `answers-${record.id}` });
      case 'model.settled':
        if (event.payload.state === 'scored') await this.enqueueSigning(record, event.payload);
        return;
      case 'result.requested':
        return this.enqueueSigning(record, event.payload);
      case 'board.stale':
        return this.jobs.enqueue('publish', { taskId: event.payload.taskId }, { jobId: `publish-${record.id}` });
      case 'scores.stale':
        await enqueueScores(this.jobs, event.payload.taskId);
        return;
      case 'benchmark.released': {
        const rest = await requestForAllModels(this.em.fork(), event.payload, this.longest);
        // queued after all events that wait now
        if (rest) await this.later(rest);
        await enqueueScores(this.jobs, event.payload.taskId);
        return;
      }
      default:
    }
  };

  private enqueueSigning({ id }: OutboxRecord, { modelId }: EventMap['result.requested']): Promise<void> {
    return this.jobs.enqueue('sign', { modelId }, { jobId: `sign-${id}` });
  }

  private async later(rest: EventMap['benchmark.released']): Promise<void> {
    const em = this.em.fork();
    Outbox.add(em, 'benchmark.released', rest);
    await em.flush();
  }
}

/**
 * Enqueues a job that publishes the board of a task, in addition to the jobs for `board.stale`
 * events.
 * @returns false if such a job is live already
 */
export const enqueueBoard = (jobs: Pick<Jobs, 'enqueue' | 'isLive'>, taskId: string): Promise<boolean> =>
  enqueueUnlessLive(jobs, 'publish', { taskId }, { jobId: `publish-again-${taskId}` });

type RunRequested = EventMap['run.requested'];

/** Returns the job ID of the queued run of a predictions file. */
export const jobOfRun = ({ runId, stage, attempt }: RunRequested): string => `${runId}-${stage}-${attempt}`;

/**
 * Enqueues the job of the queued run of a predictions file.
 * @returns false if it is live already
 */
export const enqueueRun = (jobs: Pick<Jobs, 'enqueue' | 'isLive'>, run: RunRequested): Promise<boolean> =>
  enqueueUnlessLive(jobs, ...jobFor(run));

/**
 * Returns the queue, the payload and the options of the job of a run. If a job with the same ID
 * exists, nothing is added.
 */
const jobFor = (run: RunRequested) =>
  ['predictions', { runId: run.runId, stage: run.stage }, { jobId: jobOfRun(run), delay: run.delay }] as const;
