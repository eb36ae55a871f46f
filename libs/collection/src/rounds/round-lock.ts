import { DomainError } from '@assay/kernel';
import type { Round } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundRepository } from './round.repository.js';

/**
 * Holds the round open until the caller's transaction ends, so that everything written in it
 * counts.
 * @throws DomainError `round_closed`
 */
export async function expectOpen(em: EntityManager, round: Pick<Round, 'id' | 'number'>): Promise<void> {
  if ((await new RoundRepository(em).lockState(round.id)) === 'open') return;
  throw new DomainError('conflict', 'round_closed', `Round ${round.number} is closed: it takes nothing more.`);
}
