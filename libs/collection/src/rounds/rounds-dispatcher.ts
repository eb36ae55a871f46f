import { parseEvent } from '@assay/contracts';
import type { Jobs } from '@assay/jobs';
import type { OutboxRecord } from '@assay/persistence';
import type { EntityManager } from '@mikro-orm/postgresql';

const turnsBy = (...keys: readonly string[]): string =>
  keys.map((key) => `round.settings -> 'turn' -> '${key}' is not null`).join(' or ');

/**
 * SQL for a round whose state an annotation may change: it is closing, or a count of examples
 * closes it.
 */
const COUNTING = `(round.state = 'closing' or (round.state = 'open' and (${turnsBy('examples', 'validated')})))`;
/** SQL for a round with automatic work: it is closing, or open with a rule that may close it. */
const AT_WORK = `(${COUNTING} or (round.state = 'open' and (${turnsBy('closesAt', 'saturation')})))`;

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
        return this.enqueue(await this.find(`${AT_WORK} and round.task_id = ?`, event.payload.taskId), record.id);
      case 'annotation.submitted':
      case 'annotation.decided': {
        const ofIts = `${COUNTING} and round.id = (select round_id from annotation where annotation.id = ?)`;
        return this.enqueue(await this.find(ofIts, event.payload.annotationId));
      }
      default:
    }
  };

  private async find(condition: string, id: string): Promise<string[]> {
    const rows = await this.em.fork().execute<{ id: string }[]>(`select round.id from round where ${condition}`, [id]);
    return rows.map((row) => row.id);
  }

  /**
   * Enqueues a job per round. With an event ID, each event has a job of its own. Without one, all
   * events share a job, and an event that comes while that job finishes waits for the next
   * maintenance.
   */
  private async enqueue(rounds: readonly string[], event?: string): Promise<void> {
    for (const roundId of rounds) {
      const jobId = event === undefined ? `round-${roundId}` : `round-${roundId}-${event}`;
      await this.jobs.enqueue('round', { roundId }, { jobId });
    }
  }
}

/**
 * Enqueues a job for every round with automatic work. Needed because a closing date causes no
 * event, and jobs may be lost.
 */
export async function enqueueRounds(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  const rows = await em.fork().execute<{ id: string }[]>(`select round.id from round where ${AT_WORK}`);
  for (const { id } of rows) await jobs.enqueue('round', { roundId: id }, { jobId: `round-${id}` });
}
