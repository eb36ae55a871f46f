import { dayOf, RefusedForNow, secondsUntil } from '@assay/kernel';
import type { Task } from '@assay/tasks';
import type { EntityManager } from '@mikro-orm/postgresql';
import { collectionOf } from './eligibility.js';

const EXPOSURE_WITH_WARNING = 200;

/**
 * Returns the number of examples and contexts of the task that a person may see or write in a UTC
 * day; null: no limit.
 */
function contentExposureLimit(task: Pick<Task, 'definition'>): number | null {
  const { exposurePerDay, contentWarning } = collectionOf(task);
  return exposurePerDay ?? (contentWarning === undefined ? null : EXPOSURE_WITH_WARNING);
}

/**
 * Returns a person's content exposure in a task since `since`: the number of examples they wrote,
 * contexts they were assigned and passed over, and examples they were assigned to validate. An open
 * context counts only once it is passed over or written for, so that a context that was shown can
 * still be written for.
 */
async function contentExposureSince(em: EntityManager, task: Task, userId: string, since: Date): Promise<number> {
  const [row] = await em.execute<{ seen: number }[]>(
    `select ((select count(*) from annotation a join round r on r.id = a.round_id
              where a.annotator_id = ?::uuid and a.created_at >= ? and r.task_id = ?::uuid)
          + (select count(*) from validation v join annotation a on a.id = v.annotation_id join round r on r.id = a.round_id
              where v.validator_id = ?::uuid and v.created_at >= ? and r.task_id = ?::uuid)
          + (select count(*) from assignment s join round r on r.id = s.round_id
              where s.user_id = ?::uuid and s.created_at >= ? and r.task_id = ?::uuid and s.state in ('passed', 'expired')))::int as seen`,
    Array.from({ length: 3 }, () => [userId, since, task.id]).flat(),
  );
  return row?.seen ?? 0;
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
  const limit = contentExposureLimit(task);
  if (limit === null) return;
  const { start, end } = dayOf(now);
  if ((await contentExposureSince(em, task, userId, start)) < limit) return;
  throw new RefusedForNow(
    'exposure_reached',
    `You have seen ${limit} examples of "${task.slug}" today, which is as many as it shows anybody in a day. Come back after ${end.toISOString()}.`,
    secondsUntil(end, now),
  );
}
