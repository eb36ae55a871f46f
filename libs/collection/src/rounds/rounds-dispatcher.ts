import { parseEvent } from '@assay/contracts/webhooks';
import type { Jobs } from '@assay/jobs';
import type { OutboxRecord } from '@assay/persistence/outbox';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundRepository } from './round.repository.js';

/**
 * Enqueues a job for each round that an event may advance. Idempotent. `enqueueRounds` enqueues
 * lost jobs again.
 */
export class RoundsDispatcher {
  constructor(
    private readonly em: EntityManager,
    private readonly jobs: Pick<Jobs, 'enqueue'>,
  ) {}

  /**
   * Handles an event of an `OutboxRelay`.
   * @throws JobsUnavailable, so that the event is delivered again
   */
  readonly dispatch = async (record: OutboxRecord): Promise<void> => {
    const event = parseEvent(record);
    switch (event?.type) {
      case 'round.closing':
        return this.enqueue([event.payload.roundId], record.id);
      case 'board.published':
        return this.enqueue(await new RoundRepository(this.em.fork()).atWork(event.payload.taskId), record.id);
      case 'annotation.submitted':
      case 'annotation.decided':
        return this.enqueue(await new RoundRepository(this.em.fork()).counting(event.payload.annotationId));
      default:
    }
  };

  /**
   * Enqueues a job per round. With an event ID, each event has a job of its own. Without one, all
   * events share a job, and an event that comes while that job finishes waits for the next
   * maintenance.
   */
  private async enqueue(rounds: readonly string[], event?: string): Promise<void> {
    for (const roundId of rounds) await enqueueRound(this.jobs, roundId, event);
  }
}

const enqueueRound = (jobs: Pick<Jobs, 'enqueue'>, roundId: string, event?: string): Promise<void> =>
  jobs.enqueue('round', { roundId }, { jobId: event === undefined ? `round-${roundId}` : `round-${roundId}-${event}` });

/**
 * Enqueues a job for every round with automatic work. Needed because a closing date causes no
 * event, and jobs may be lost.
 */
export async function enqueueRounds(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  for (const roundId of await new RoundRepository(em.fork()).atWork()) await enqueueRound(jobs, roundId);
}
