import type { Jobs } from '@assay/jobs';
import { Outbox, type OutboxRecord } from '@assay/persistence';
import type { BoardStale } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { z } from 'zod';
import { requestForAllModels, type BenchmarkReleased } from './benchmark-requests.js';
import { enqueueScores, type ScoresStale } from './rescoring.js';
import type { RunRequested } from './run-request.js';
import { RUN_STAGES } from './run.js';

const RunRequestedPayload = z.object({
  runId: z.uuid(),
  stage: z.enum(RUN_STAGES),
  attempt: z.int(),
  delay: z.int().optional(),
}) satisfies z.ZodType<RunRequested>;
const OfTask = z.object({ taskId: z.uuid() }) satisfies z.ZodType<BoardStale & ScoresStale>;
const Released = OfTask.extend({ behind: z.uuid().optional() }) satisfies z.ZodType<BenchmarkReleased>;

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
  readonly dispatch = async (event: OutboxRecord): Promise<void> => {
    if (event.type === 'run.requested') await addJobOf(this.jobs, RunRequestedPayload.parse(event.payload));
    if (event.type === 'board.stale') {
      const { taskId } = OfTask.parse(event.payload);
      await this.jobs.enqueue('publish', { taskId }, { jobId: `publish-${event.id}` });
    }
    if (event.type === 'scores.stale') await enqueueScores(this.jobs, OfTask.parse(event.payload).taskId);
    if (event.type === 'benchmark.released') {
      const released = Released.parse(event.payload);
      const rest = await requestForAllModels(this.em.fork(), released, this.longest);
      // queued after all events that wait now
      if (rest) await this.later(event.type, rest);
      await enqueueScores(this.jobs, released.taskId);
    }
  };

  private async later(type: string, payload: object): Promise<void> {
    const em = this.em.fork();
    Outbox.add(em, type, payload);
    await em.flush();
  }
}

/**
 * Enqueues a job that publishes the board of a task, in addition to the jobs for `board.stale`
 * events.
 * @returns false if such a job is live already
 */
export async function enqueueBoard(jobs: Pick<Jobs, 'enqueue' | 'isLive'>, taskId: string): Promise<boolean> {
  const jobId = `publish-again-${taskId}`;
  if (await jobs.isLive('publish', jobId)) return false;
  await jobs.enqueue('publish', { taskId }, { jobId });
  return true;
}

/** The queues for the jobs of runs. */
export const RUN_QUEUES = ['admission', 'run'] as const;

/** Returns the job ID of a queued run. */
export const jobOfRun = ({ runId, stage, attempt }: RunRequested): string => `${runId}-${stage}-${attempt}`;

/**
 * Enqueues the job of a queued run.
 * @returns false if it is live already
 */
export async function enqueueRun(jobs: Pick<Jobs, 'enqueue' | 'isLive'>, run: RunRequested): Promise<boolean> {
  if (await jobs.isLive(queueOf(run), jobOfRun(run))) return false;
  await addJobOf(jobs, run);
  return true;
}

/** Enqueues the job of a run. If a job with the same ID exists, nothing is added. */
function addJobOf(jobs: Pick<Jobs, 'enqueue'>, run: RunRequested): Promise<void> {
  return jobs.enqueue(queueOf(run), { runId: run.runId }, { jobId: jobOfRun(run), delay: run.delay });
}

const queueOf = ({ stage }: RunRequested): 'admission' | 'run' => (stage === 'admission' ? 'admission' : 'run');
