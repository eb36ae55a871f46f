import type { EntityManager } from '@mikro-orm/postgresql';

/** SQL for the output types whose answers are words of the example, or about it. */
const IN_WORDS = `('span', 'text')`;

/**
 * Removes the texts of a person's examples and validations. An example that is in no dataset yet is
 * retracted, so that it is no longer shown, validated or frozen. An example of a frozen dataset
 * still counts in the statistics of its round.
 */
export async function removeTexts(em: EntityManager, userId: string, now: Date): Promise<void> {
  await em.execute(
    `update round_context c set annotations = c.annotations - own.count, fooled = c.fooled - own.fooled
       from (select context_id, count(*)::int as count, count(*) filter (where fooled and answered_at is not null)::int as fooled
               from annotation where annotator_id = ? and split is null and retracted_at is null and context_id is not null
              group by context_id) own
      where c.id = own.context_id`,
    [userId],
  );
  await em.execute(
    `delete from example_fingerprint where annotation_id in (select id from annotation where annotator_id = ?)`,
    [userId],
  );
  await em.execute(
    `update annotation a set input = '{}', explanations = '{}', extra = '{}', findings = '[]', span = null, choices = null,
       retracted_at = case when a.split is null then coalesce(a.retracted_at, ?) else a.retracted_at end
      where a.annotator_id = ?`,
    [now, userId],
  );
  await em.execute(
    `update annotation a set author_label = '[]', label = '[]', goal = null,
       answers = (select coalesce(jsonb_agg(answer || '{"answer": ""}'), '[]') from jsonb_array_elements(a.answers) answer)
       from round r join task t on t.id = r.task_id
      where r.id = a.round_id and a.annotator_id = ? and t.definition #>> '{output,type}' in ${IN_WORDS}`,
    [userId],
  );
  await em.execute(`update validation set reason = null, extra = '{}' where validator_id = ?`, [userId]);
}
