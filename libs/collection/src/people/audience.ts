import type { EntityManager } from '@mikro-orm/postgresql';

/** Returns the IDs of the users who took part in a task or have an accepted model in it. */
export async function audienceOf(em: EntityManager, taskId: string): Promise<string[]> {
  const rows = await em.execute<{ id: string }[]>(
    `select p.user_id as id from participation p join round r on r.id = p.round_id where r.task_id = ?
     union select a.annotator_id from annotation a join round r on r.id = a.round_id
            where r.task_id = ? and a.annotator_id is not null and a.source = 'written'
     union select v.validator_id from validation v join annotation a on a.id = v.annotation_id join round r on r.id = a.round_id
            where r.task_id = ? and v.validator_id is not null
     union select m.owner_id from model m where m.task_id = ? and m.accepted_at is not null and not m.withdrawn`,
    Array.from({ length: 4 }, () => taskId),
  );
  return rows.map(({ id }) => id);
}
