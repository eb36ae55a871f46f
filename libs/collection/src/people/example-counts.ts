import type { PublicProfile } from '@assay/contracts';
import type { EntityManager } from '@mikro-orm/postgresql';

/**
 * Counts a user's examples for their public page. Excludes tasks with a content warning, because
 * work in them is not put on display.
 */
export async function exampleCounts(em: EntityManager, annotator: string): Promise<PublicProfile['examples'] & object> {
  const [row] = await em.execute<(PublicProfile['examples'] & object)[]>(
    `select count(*)::int as written,
            count(*) filter (where a.outcome = 'validated')::int as validated,
            count(*) filter (where a.outcome = 'validated' and a.fooled)::int as fooling
       from annotation a join round r on r.id = a.round_id join task t on t.id = r.task_id
      where a.annotator_id = ? and a.source = 'written' and not a.is_check and a.retracted_at is null
        and t.definition #> '{collection,contentWarning}' is null`,
    [annotator],
  );
  return row ?? { written: 0, validated: 0, fooling: 0 };
}
