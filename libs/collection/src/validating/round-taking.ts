import { DomainError } from '@assay/kernel';
import { Round, type Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';

/** A round is validated while it is open, and after that as long as it waits for what is pending. */
export const takesValidations = (round: Round, now: Date): boolean =>
  round.state === 'open' || (round.closingStep === 'settle' && round.pendingUntil != null && round.pendingUntil > now);

/** The rounds of a task that are validated now, the one that waits first. */
export async function validatedRounds(em: EntityManager, task: Task, now: Date): Promise<Round[]> {
  const rounds = await em.find(
    Round,
    { task, state: { $in: ['open', 'closing'] }, imported: false },
    { orderBy: { number: 'asc' } },
  );
  return rounds.filter((round) => takesValidations(round, now));
}

/**
 * Holds the round as it is until the transaction ends: what is answered in it counts.
 * @throws DomainError `round_closed`
 */
export async function expectValidated(em: EntityManager, id: string, now: Date): Promise<Round> {
  await em.execute('select id from round where id = ? for share', [id]);
  const round = await em.findOneOrFail(Round, id, { refresh: true, populate: ['task.owner'] });
  if (takesValidations(round, now)) return round;
  throw new DomainError(
    'conflict',
    'round_closed',
    `Round ${round.number} is closed: its examples are validated no more. Ask for the next one.`,
  );
}
