import type { ExportQuery } from '@assay/contracts/datasets';
import { databaseTime, jsonValue, Repository, uuidArray } from '@assay/persistence/queries';
import type { Round, Task } from '@assay/tasks';
import type { CrowdSession } from '../crowds/crowd-session.js';
import type { ExportReader } from '../release/exported-annotation.js';
import { Annotation, type AnnotationSchema, type Judgement } from './annotation.js';

/** An example whose written text may be nearly the same as another one. */
type SimilarExample = Pick<Annotation, 'id' | 'input'> & { readonly contextId: string | null };

/** A validated example, with its context, a hash of the inputs from it, and its original example. */
type ValidatedRow = Pick<Annotation, 'id'> &
  Readonly<Record<'context' | 'given' | 'example', string | null> & Record<'fooled', boolean | null>>;

/** The annotations that an export contains. */
export interface ExportedSet {
  readonly task: Task;
  /** Undefined: all rounds of the task. */
  readonly round?: Round;
  readonly reader: ExportReader;
  readonly query: ExportQuery;
}

/** SQL for annotations that everybody may read: the published splits of closed rounds. */
const PUBLIC = `r.state = 'closed' and a.split in ('train', 'dev') and not a.is_check`;

/** The annotations of the database. `AnnotationStatisticsRepository` has their figures. */
export class AnnotationRepository extends Repository<typeof AnnotationSchema> {
  /**
   * Returns the number of examples written in a crowd session, retracted ones excluded. The
   * sessions of a worker never overlap, so none counts twice.
   */
  writtenIn(round: Pick<Round, 'id'>, { user, createdAt, endedAt }: CrowdSession): Promise<number> {
    const during = { $gte: createdAt, ...(endedAt && { $lt: endedAt }) };
    const written = { source: 'written', isCheck: false, retractedAt: null } as const;
    return this.em.count(Annotation, { ...written, round: round.id, annotator: user.id, createdAt: during });
  }

  /** Stores the answers to an annotation and returns it; undefined if it does not wait for them. */
  storeAnswers(
    id: string,
    { answers, fooled, choices }: Judgement,
  ): Promise<{ context: string | null; retractedAt: Date | null } | undefined> {
    return this.db
      .updateTable('annotation')
      .set({
        answers: jsonValue(answers),
        fooled,
        choices: jsonValue(choices),
        target: answers[0]?.model ?? null,
        answeredAt: databaseTime(),
      })
      .where('id', '=', id)
      .where('answeredAt', 'is', null)
      .returning(['context', 'retractedAt'])
      .executeTakeFirst();
  }

  /** Marks a round's annotations that wait for answers as answered, and returns their IDs. */
  giveUpAnswers(round: string, now: Date): Promise<readonly string[]> {
    return this.idsOf(
      this.em.execute<{ id: string }[]>(
        `update annotation set answered_at = ?, fooled = null
          where round_id = ? and answered_at is null and retracted_at is null returning id`,
        [now, round],
      ),
    );
  }

  /**
   * Returns the newest 200 examples of the round, by any author, that the user may change so that
   * their label flips. Excludes examples that are retracted, rejected, flagged, gold checks,
   * contrasts themselves, already changed by this user, or in a context that is inactive or marked
   * by this user. Also excludes those that the user has been assigned to validate and has not
   * answered, because the user would see their label.
   * @param which `true`: any example; otherwise the ID of an annotation
   */
  contrasts(round: string, user: string, which: true | string): Promise<{ id: string; contextId: string }[]> {
    return this.em.execute<{ id: string; contextId: string }[]>(
      `select a.id, a.context_id as "contextId" from annotation a join round_context c on c.id = a.context_id
       where a.round_id = ? and c.active and a.answered_at is not null and a.retracted_at is null and not a.is_check
         and a.contrast_to_id is null and a.outcome in ('pending', 'validated', 'undecided') and a.input <> '{}'::jsonb
         and not exists (select 1 from annotation mine where mine.contrast_to_id = a.id and mine.annotator_id = ?
                           and mine.retracted_at is null)
         and not exists (select 1 from validation v where v.annotation_id = a.id and v.validator_id = ? and v.answered_at is null)
         and not exists (select 1 from context_mark m where m.context_id = a.context_id and m.user_id = ?)
         ${which === true ? '' : 'and a.id = ?::uuid'}
       order by a.created_at desc limit 200`,
      [round, user, user, user, ...(which === true ? [] : [which])],
    );
  }

  /** Returns the labels of the newest `most` examples of a round, retracted ones excluded. */
  async newestLabels(round: string, most: number): Promise<readonly string[]> {
    const rows = await this.em.execute<{ label: readonly string[] }[]>(
      `select label from annotation where round_id = ? and retracted_at is null order by id desc limit ${most}`,
      [round],
    );
    return rows.flatMap(({ label }) => label);
  }

  /**
   * Returns the examples that share most bands with a text (see `bandsOf`), those with most shared
   * bands first: at most `most`, without retracted ones and the one with the ID `except`.
   */
  similar(bands: readonly string[], except: string | null, most: number): Promise<SimilarExample[]> {
    return this.em.execute<SimilarExample[]>(
      `select a.id, a.input, a.context_id as "contextId" from (
         select f.annotation_id, (select count(*) from unnest(f.bands) as band where band = any(?::text[])) as shared
         from example_fingerprint f where f.bands && ?::text[] order by shared desc limit ${most}
       ) near join annotation a on a.id = near.annotation_id
       where a.retracted_at is null and a.id is distinct from ?::uuid order by near.shared desc, a.id`,
      [uuidArray(bands), uuidArray(bands), except],
    );
  }

  /** Stores the bands of an example of a task, by which `similar` finds it. Idempotent. */
  async fingerprint(id: string, task: string, bands: readonly string[]): Promise<void> {
    await this.em.execute(
      `insert into example_fingerprint (annotation_id, task_id, bands) values (?, ?, ?::text[]) on conflict do nothing`,
      [id, task, uuidArray(bands)],
    );
  }

  /**
   * Returns the validated examples of a round, in the order in which they were written. Excludes
   * retracted examples, gold checks, and those whose text was removed.
   * @param written the names of the inputs that people write
   */
  validated(round: string, written: readonly string[]): Promise<ValidatedRow[]> {
    return this.em.execute<ValidatedRow[]>(
      `select id, fooled, context_id as context, contrast_to_id as example,
          case when input - written.names = '{}'::jsonb then null else md5((input - written.names)::text) end as given
        from annotation,
          (select coalesce(array_agg(name), '{}') as names from jsonb_array_elements_text(?::jsonb) as name) as written
        where round_id = ? and outcome = 'validated' and retracted_at is null and not is_check and input <> '{}'::jsonb
        order by id`,
      [JSON.stringify(written), round],
    );
  }

  /** Stores the splits of annotations, by ID. */
  async setSplits(splits: ReadonlyMap<string, Annotation['split'] & string>): Promise<void> {
    await this.em.execute(
      `update annotation set split = placed.split from jsonb_to_recordset(?::jsonb) as placed(id uuid, split text)
        where annotation.id = placed.id`,
      [JSON.stringify(Array.from(splits, ([id, split]) => ({ id, split })))],
    );
  }

  /**
   * Yields the IDs of annotations in ascending order, `size` at a time, from a cursor that ends
   * with the transaction.
   */
  async *ids({ task, round, reader, query }: ExportedSet, size: number): AsyncGenerator<string[]> {
    const { outcome, source } = query;
    const set = Object.entries({ 'r.task_id': task.id, 'r.id': round?.id, 'a.outcome': outcome, 'a.source': source });
    const given = set.filter(([, value]) => value !== undefined);
    const conditions = [...given.map(([column]) => `${column} = ?`), ...(reader === 'public' ? [PUBLIC] : [])];
    await this.em.execute(
      `declare exported no scroll cursor for select a.id from annotation a join round r on r.id = a.round_id
        where ${conditions.join(' and ')} order by a.id`,
      given.map(([, value]) => value),
    );
    for (;;) {
      const rows = await this.em.execute<{ id: string }[]>(`fetch ${size} from exported`);
      if (rows.length === 0) return;
      yield rows.map(({ id }) => id);
    }
  }

  /** Returns the author of an annotation, unless an earlier one of theirs stands on its UTC day. */
  async authorOfFirst(id: string): Promise<string | undefined> {
    const [row] = await this.em.execute<{ annotator: string }[]>(
      `select a.annotator_id as annotator from annotation a where a.id = ? and a.annotator_id is not null and not exists (
         select 1 from annotation other where other.annotator_id = a.annotator_id and other.id < a.id and other.retracted_at is null
            and other.created_at >= date_trunc('day', a.created_at at time zone 'UTC') at time zone 'UTC')`,
      [id],
    );
    return row?.annotator;
  }

  /**
   * Removes the texts of a person's examples. An example that is in no dataset yet is retracted, so
   * that it is no longer shown, validated or frozen. An example of a frozen dataset still counts in
   * the statistics of its round.
   */
  async removeTexts(author: string, now: Date): Promise<void> {
    await this.em.execute(
      `update round_context c set annotations = c.annotations - own.count, fooled = c.fooled - own.fooled
         from (select context_id, count(*)::int as count, count(*) filter (where fooled and answered_at is not null)::int as fooled
                 from annotation where annotator_id = ? and split is null and retracted_at is null and context_id is not null
                group by context_id) own
        where c.id = own.context_id`,
      [author],
    );
    await this.em.execute(
      `delete from example_fingerprint where annotation_id in (select id from annotation where annotator_id = ?)`,
      [author],
    );
    await this.em.execute(
      `update annotation a set input = '{}', explanations = '{}', extra = '{}', findings = '[]', span = null, choices = null,
         retracted_at = case when a.split is null then coalesce(a.retracted_at, ?) else a.retracted_at end
        where a.annotator_id = ?`,
      [now, author],
    );
    // answers of these outputs are words of the example, or about it
    await this.em.execute(
      `update annotation a set author_label = '[]', label = '[]', goal = null,
         answers = (select coalesce(jsonb_agg(answer || '{"answer": ""}'), '[]') from jsonb_array_elements(a.answers) answer)
         from round r join task t on t.id = r.task_id
        where r.id = a.round_id and a.annotator_id = ? and t.definition #>> '{output,type}' in ('span', 'text')`,
      [author],
    );
  }
}
