import type { EntityManager } from '@mikro-orm/postgresql';
import type { BadgeCount } from './badges.js';

export type BadgeCounts = Readonly<Record<BadgeCount, number>>;

const CALM = `t.definition #> '{collection,contentWarning}' is null`;

const WRITTEN = `annotation a join round r on r.id = a.round_id join task t on t.id = r.task_id
  where a.annotator_id = ? and a.source = 'written' and not a.is_check and a.retracted_at is null and ${CALM}`;

/**
 * SQL for a validation that agrees with the decision: with the author's label if it holds, with the
 * label that replaced it, or in the rejection or flag.
 */
const AGREES = `case a.outcome
  when 'validated' then (v.verdict = 'correct' and a.label = a.author_label)
                     or (v.verdict = 'incorrect' and v.right_label = a.label)
  when 'rejected' then v.verdict = 'incorrect'
  when 'flagged' then v.verdict = 'flagged'
  else false end`;

/** Returns a user's count for each kind of badge. `streak` is the longest one ever. */
export async function badgeCounts(em: EntityManager, userId: string): Promise<BadgeCounts> {
  const [row] = await em.execute<BadgeCounts[]>(
    `select
      (select count(*) from ${WRITTEN} and a.outcome = 'validated' and a.fooled)::int as fooling,
      (select coalesce(max(length), 0) from (
         select count(*) as length from (
           -- days in a row are as far from their number in the list
           select day - row_number() over (order by day) * interval '1 day' as start from (
             select distinct date_trunc('day', a.created_at at time zone 'UTC') as day from ${WRITTEN}) days) numbered
         group by start) streaks)::int as streak,
      (select count(*) from validation v join annotation a on a.id = v.annotation_id
         join round r on r.id = a.round_id join task t on t.id = r.task_id
        where v.validator_id = ? and v.answered_at is not null and not v.by_owner and not a.is_check and ${CALM} and ${AGREES})::int as validations,
      (select count(*) from model m join task t on t.id = m.task_id
        where m.owner_id = ? and m.accepted_at is not null and ${CALM})::int as models,
      (select count(*) from model m join task t on t.id = m.task_id
        where m.owner_id = ? and ${CALM} and (exists (select 1 from promotion p where p.model_id = m.id)
           or exists (select 1 from round_model rm where rm.model_id = m.id)))::int as loop`,
    Array.from({ length: 5 }, () => userId),
  );
  return row ?? { fooling: 0, streak: 0, validations: 0, models: 0, loop: 0 };
}
