import { dayOf, RefusedForNow, secondsUntil } from '@assay/kernel';
import type { Round, Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Annotation } from '../annotating/annotation.js';
import { RoundRepository } from '../rounds/round.repository.js';
import { collectionOf } from './eligibility.js';
import { ParticipantRepository } from './participant.repository.js';

const TRIALS_PER_EXAMPLE = 10;
const EXPOSURE_WITH_WARNING = 200;

/**
 * Returns the number of examples of the task that a person may still write today (UTC). Retracted
 * ones count, because otherwise the cap would not limit anything.
 * @throws RefusedForNow `daily_cap` if it is none
 */
export async function requireExamplesLeft(em: EntityManager, task: Task, userId: string, now: Date): Promise<number> {
  const { examplesPerDay } = collectionOf(task);
  const { start, end } = dayOf(now);
  const written = await em.count(Annotation, {
    annotator: userId,
    createdAt: { $gte: start },
    round: { task: task.id },
  });
  if (written < examplesPerDay) return examplesPerDay - written;
  throw new RefusedForNow(
    'daily_cap',
    `You wrote ${examplesPerDay} examples of "${task.slug}" today, the daily limit. Come back after midnight UTC.`,
    secondsUntil(end, now),
  );
}

/**
 * Counts a trial: a request that asks target models and stores no example. The cap keeps anybody
 * from asking them without limit.
 * @throws RefusedForNow `trial_cap` if the person has reached the cap of the round for today (UTC)
 */
export async function countTrial(em: EntityManager, task: Task, round: Round, userId: string): Promise<void> {
  const cap = TRIALS_PER_EXAMPLE * collectionOf(task).examplesPerDay;
  const now = new Date();
  if (await new RoundRepository(em).countTrial(round.id, userId, now.toISOString().slice(0, 10), cap)) return;
  throw new RefusedForNow(
    'trial_cap',
    `You tried ${cap} inputs in this round today, the daily limit. Send an example, or come back after midnight UTC.`,
    secondsUntil(dayOf(now).end, now),
  );
}

/**
 * @throws RefusedForNow `exposure_reached` if the person has reached the task's limit of content
 *   exposure for today, with the time until it resets
 */
export async function requireContentExposure(
  em: EntityManager,
  task: Task,
  userId: string,
  now = new Date(),
): Promise<void> {
  const { exposurePerDay, contentWarning } = collectionOf(task);
  const limit = exposurePerDay ?? (contentWarning === undefined ? Infinity : EXPOSURE_WITH_WARNING);
  const { start, end } = dayOf(now);
  if (limit === Infinity || (await new ParticipantRepository(em).contentExposure(userId, task.id, start)) < limit)
    return;
  throw new RefusedForNow(
    'exposure_reached',
    `You saw ${limit} examples of "${task.slug}" today, the daily limit. Come back after ${end.toISOString()}.`,
    secondsUntil(end, now),
  );
}
