import { DomainError } from '@assay/kernel';
import { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Returns the round, locked for a change of its state until the transaction ends. Waits for every
 * transaction that holds it through `expectOpen`. Does not block transactions that only reference
 * the round by foreign key. Lock order: the round before its task, never after.
 */
export async function lockRound(em: EntityManager, id: string): Promise<Round> {
  await em.execute('select id from round where id = ? for no key update', [id]);
  return em.findOneOrFail(Round, id, { refresh: true, populate: ['task.owner'] });
}

/**
 * Holds the round open until the caller's transaction ends, so that everything written in it
 * counts.
 * @throws DomainError `round_closed`
 */
export async function expectOpen(em: EntityManager, round: Pick<Round, 'id' | 'number'>): Promise<void> {
  const [row] = await em.execute<{ state: string }[]>('select state from round where id = ? for share', [round.id]);
  if (row?.state === 'open') return;
  throw new DomainError('conflict', 'round_closed', `Round ${round.number} is closed: it takes nothing more.`);
}
