import { dayOf, RefusedForNow, secondsUntil } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from '../people/eligibility.js';

/**
 * Returns the number of examples of the task that a person may still write today (UTC). Retracted
 * ones count, because otherwise the cap would not limit anything.
 */
export async function examplesLeft(em: EntityManager, task: Task, userId: string, now: Date): Promise<number> {
  const [row] = await em.execute<{ written: number }[]>(
    `select count(*)::int as written from annotation a join round r on r.id = a.round_id
     where a.annotator_id = ? and a.created_at >= ? and r.task_id = ?`,
    [userId, dayOf(now).start, task.id],
  );
  return Math.max(0, collectionOf(task).examplesPerDay - (row?.written ?? 0));
}

/** @throws RefusedForNow `daily_cap` */
export function requireLeft(task: Task, left: number, now: Date): void {
  if (left > 0) return;
  throw new RefusedForNow(
    'daily_cap',
    `You have written ${collectionOf(task).examplesPerDay} examples of "${task.slug}" today, which is as many as it takes in a day. Come back after midnight UTC.`,
    secondsUntil(dayOf(now).end, now),
  );
}
