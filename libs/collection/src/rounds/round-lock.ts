import { DomainError } from '@assay/kernel';
import { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * The round, for who changes its state: one at a time until the transaction ends, after all who hold it by `expectOpen`. What only refers
 * to it goes on beside. A round is locked before its task, never after.
 */
export async function lockRound(em: EntityManager, id: string): Promise<Round> {
  await em.execute('select id from round where id = ? for no key update', [id]);
  return em.findOneOrFail(Round, id, { refresh: true, populate: ['task.owner'] });
}

/**
 * Holds the round open until the caller's transaction ends: what is written in it counts.
 * @throws DomainError `round_closed`
 */
export async function expectOpen(em: EntityManager, round: Pick<Round, 'id' | 'number'>): Promise<void> {
  const [row] = await em.execute<{ state: string }[]>('select state from round where id = ? for share', [round.id]);
  if (row?.state === 'open') return;
  throw new DomainError('conflict', 'round_closed', `Round ${round.number} is closed: it takes nothing more.`);
}
