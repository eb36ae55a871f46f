import type { PublicProfile } from '@assay/contracts/people';
import { Repository, uuidArray } from '@assay/persistence/queries';
import type { BadgeCounts } from './badges.js';

/** An annotator of a task, with their rank and the counts of their examples written against a model. */
export interface AnnotatorRow extends Readonly<
  Record<'rank' | 'examples' | 'decided' | 'validated' | 'fooling', number>
> {
  readonly userId: string;
  readonly pseudonym: string;
  readonly username: string;
  readonly displayName: string | null;
  readonly board: 'pseudonym' | 'name' | null;
  readonly showsBadges: boolean;
  /** Changes with the annotator's counters (see `annotator_count`). */
  readonly version: string;
}

/**
 * The contexts of an annotator's examples: `times` contexts have the same number of examples, of
 * validated ones, and of fooling ones.
 */
export type ContextCounts = readonly (readonly [examples: number, validated: number, fooling: number, times: number])[];

/** SQL for a task without a content warning. */
const CALM = `t.definition #> '{collection,contentWarning}' is null`;

/** SQL for the examples of a person in such tasks. */
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

/** The work of people in the database. */
export class ParticipantRepository extends Repository {
  /** Returns the IDs of the users who took part in a task or have an accepted model in it. */
  audience(task: string): Promise<string[]> {
    return this.idsOf(
      this.em.execute<{ id: string }[]>(
        `select p.user_id as id from participation p join round r on r.id = p.round_id where r.task_id = ?
       union select a.annotator_id from annotation a join round r on r.id = a.round_id
              where r.task_id = ? and a.annotator_id is not null and a.source = 'written'
       union select v.validator_id from validation v join annotation a on a.id = v.annotation_id join round r on r.id = a.round_id
              where r.task_id = ? and v.validator_id is not null
       union select m.owner_id from model m where m.task_id = ? and m.accepted_at is not null and not m.withdrawn`,
        [task, task, task, task],
      ),
    );
  }

  /**
   * Returns the annotators of a task, or of the round with a number, who have `minimum` validated
   * examples and do not hide from boards, those with the highest rate of fooling examples first. Of
   * equal rates, the one with the higher share among all decided examples ranks first.
   * @param page the number of annotators to skip, and the largest number to return
   */
  annotators(
    task: string,
    round: number | null,
    minimum: number,
    { skipped, most }: { readonly skipped: number; readonly most: number },
  ): Promise<AnnotatorRow[]> {
    return this.em.execute<AnnotatorRow[]>(
      `with counted as (
         select c.annotator_id, min(c.pseudonym) as pseudonym, sum(c.faced)::int as examples,
                sum(c.faced - c.faced_pending)::int as decided, sum(c.faced_validated)::int as validated,
                sum(c.validated_fooling)::int as fooling,
                md5(string_agg(concat_ws(' ', c.round_id, c.pseudonym, c.xmin), ',' order by c.round_id, c.pseudonym)) as version
           from round r join annotator_count c on c.round_id = r.id
          where r.task_id = ?::uuid and (?::int is null or r.number = ?::int) and c.annotator_id is not null and c.source = 'written'
          group by c.annotator_id having sum(c.faced_validated) >= ? and sum(c.faced_validated) > 0
       )
       select c.annotator_id as "userId", c.pseudonym, u.username, p.display_name as "displayName", p.board,
              coalesce(p.shows @> '["badges"]'::jsonb, false) as "showsBadges",
              c.examples, c.decided, c.validated, c.fooling, c.version,
              (rank() over (order by c.fooling::float8 / c.validated desc, c.fooling::float8 / c.decided desc))::int as rank
         from counted c join user_account u on u.id = c.annotator_id left join profile p on p.user_id = u.id
        where coalesce(p.board, 'pseudonym') <> 'hidden'
        order by rank, c.pseudonym offset ? limit ?`,
      [task, round, round, minimum, skipped, most],
    );
  }

  /** Returns the contexts of annotators in a task, or in the round with a number, by the ID of the user. */
  async contexts(
    task: string,
    round: number | null,
    users: readonly string[],
  ): Promise<ReadonlyMap<string, ContextCounts>> {
    const rows = await this.em.execute<{ userId: string; contexts: ContextCounts }[]>(
      `select user_id as "userId", jsonb_agg(jsonb_build_array(examples, validated, fooling, times)) as contexts from (
         select user_id, examples, validated, fooling, count(*)::int as times from (
           select a.annotator_id as user_id, count(*)::int as examples,
                  count(*) filter (where a.outcome = 'validated')::int as validated,
                  count(*) filter (where a.outcome = 'validated' and a.fooled)::int as fooling
             from round r join annotation a on a.round_id = r.id
            where r.task_id = ?::uuid and (?::int is null or r.number = ?::int) and a.annotator_id = any(?::uuid[])
              and a.source = 'written' and not a.is_check and a.retracted_at is null and a.fooled is not null
            group by a.annotator_id, coalesce(a.context_id, a.id)) as context
         group by user_id, examples, validated, fooling) as alike
       group by user_id`,
      [task, round, round, uuidArray(users)],
    );
    return new Map(rows.map(({ userId, contexts }) => [userId, contexts]));
  }

  /**
   * Returns a person's content exposure in a task since `since`: the number of examples they wrote,
   * contexts they were assigned and passed over, and examples they were assigned to validate. An
   * open context counts only once it is passed over or written for, so that a context that was
   * shown can still be written for.
   */
  async contentExposure(user: string, task: string, since: Date): Promise<number> {
    const { seen } = await this.row<{ seen: number }>(
      `select ((select count(*) from annotation a join round r on r.id = a.round_id
                where a.annotator_id = ?::uuid and a.created_at >= ? and r.task_id = ?::uuid)
            + (select count(*) from validation v join annotation a on a.id = v.annotation_id join round r on r.id = a.round_id
                where v.validator_id = ?::uuid and v.created_at >= ? and r.task_id = ?::uuid)
            + (select count(*) from assignment s join round r on r.id = s.round_id
                where s.user_id = ?::uuid and s.created_at >= ? and r.task_id = ?::uuid and s.state in ('passed', 'expired')))::int as seen`,
      [user, since, task, user, since, task, user, since, task],
    );
    return seen;
  }

  /** Returns a user's count for each kind of badge. `streak` is the longest one ever. */
  badgeCounts(user: string): Promise<BadgeCounts> {
    return this.row<BadgeCounts>(
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
      [user, user, user, user, user],
    );
  }

  /** Counts a user's examples for their public page. */
  exampleCounts(user: string): Promise<PublicProfile['examples'] & object> {
    return this.row<PublicProfile['examples'] & object>(
      `select count(*)::int as written,
              count(*) filter (where a.outcome = 'validated')::int as validated,
              count(*) filter (where a.outcome = 'validated' and a.fooled)::int as fooling
         from ${WRITTEN}`,
      [user],
    );
  }
}
