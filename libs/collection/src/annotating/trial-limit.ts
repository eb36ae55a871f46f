import { dayOf, RefusedForNow, secondsUntil } from '@assay/kernel';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../people/eligibility.js';
import { RoundRepository } from '../rounds/round.repository.js';

const TRIALS_PER_EXAMPLE = 10;

/**
 * Counts a trial: a request that asks target models and stores no example. The cap keeps anybody
 * from asking them without limit.
 * @throws RefusedForNow `trial_cap` if the person has reached the cap of the round for today (UTC)
 */
export async function countTrial(em: EntityManager, task: Task, round: Round, userId: string): Promise<void> {
  const cap = TRIALS_PER_EXAMPLE * collectionOf(task).examplesPerDay;
  const now = new Date();
  const today = now.toISOString().slice(0, 10);
  if (await new RoundRepository(em).countTrial(round.id, userId, today, cap)) return;
  throw new RefusedForNow(
    'trial_cap',
    `You have tried out ${cap} inputs in this round today, which is as many as it answers in a day. Send an example, or come back after midnight UTC.`,
    secondsUntil(dayOf(now).end, now),
  );
}
