import { DomainError } from '@assay/kernel';
import { preparedEntities } from '@assay/persistence/queries';
import { Round, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundRepository } from '../rounds/round.repository.js';

/**
 * Returns whether a round takes validations: while it is open, and while its closing awaits those
 * that are pending.
 */
export const takesValidations = (round: Round, now: Date): boolean =>
  round.state === 'open' || (round.closingStep === 'settle' && round.pendingUntil != null && round.pendingUntil > now);

const ROUNDS = `
select * from round where task_id = $1::uuid and state in ('open', 'closing') and not imported order by number`;

/**
 * Returns the rounds of a task that take validations now, by number. A closing round that awaits
 * validations therefore precedes the open one.
 */
export async function validatedRounds(em: EntityManager, task: Task, now: Date): Promise<Round[]> {
  const rounds = await preparedEntities(em, Round, ROUNDS, [task.id]);
  return rounds.filter((round) => takesValidations(round, now));
}

/**
 * Returns the round and prevents a change of its state until the transaction ends, so that every
 * validation written in the transaction counts.
 * @throws DomainError `round_closed`
 */
export async function expectValidated(em: EntityManager, id: string, now: Date): Promise<Round> {
  await new RoundRepository(em).lockState(id);
  const round = await em.findOneOrFail(Round, id, { refresh: true, populate: ['task.owner'] });
  if (takesValidations(round, now)) return round;
  throw new DomainError(
    'conflict',
    'round_closed',
    `Round ${round.number} is closed and accepts no more validations. Request the next example.`,
  );
}
