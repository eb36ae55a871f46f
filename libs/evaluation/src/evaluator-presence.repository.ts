import { type CountedRows, databaseTime, databaseTimeIn, jsonValue, Repository } from '@assay/persistence/queries';
import { sql } from 'kysely';
import type { EvaluatorPresence, EvaluatorPresenceSchema } from './evaluator-presence.js';

export type SeenEvaluator = Pick<EvaluatorPresence, 'name' | 'startedAt' | 'seenAt' | 'problems'> & {
  /** True if it was seen in the last minute. */
  readonly isRecent: boolean;
};

/** The heartbeats of evaluators in the database. All times are those of the database. */
export class EvaluatorPresenceRepository extends Repository<typeof EvaluatorPresenceSchema> {
  /** Records that the evaluator has just started. */
  async recordStart(name: string): Promise<void> {
    await this.em.execute(
      `insert into evaluator_presence (name) values (?)
        on conflict (name) do update set started_at = now(), seen_at = now(), problems = '[]'`,
      [name],
    );
  }

  /**
   * Records that the evaluator is alive, with the services that do not respond to it. Does not bring
   * back the row of an evaluator that has just shut down.
   */
  async recordSeen(name: string, problems: readonly string[] = []): Promise<void> {
    await this.db
      .updateTable('evaluator_presence')
      .set({ seenAt: databaseTime(), problems: jsonValue(problems) })
      .where('name', '=', name)
      .execute();
  }

  /** Removes the row of an evaluator that shuts down in an orderly way. */
  async remove(name: string): Promise<void> {
    await this.db.deleteFrom('evaluator_presence').where('name', '=', name).execute();
  }

  /** Returns the evaluators that were seen in the last `seconds`, in no order. */
  seenWithin(seconds: number): Promise<SeenEvaluator[]> {
    return this.db
      .selectFrom('evaluator_presence')
      .select(['name', 'startedAt', 'seenAt', 'problems'])
      .select(sql<boolean>`seen_at > now() - interval '1 minute'`.as('isRecent'))
      .where('seenAt', '>', databaseTimeIn(-seconds))
      .execute();
  }

  /** Counts the evaluators that were seen in the last minute, by whether they can work (`able`). */
  countByAbility(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>(
      `select able, count(name) filter (where (problems = '[]') = (able = 'yes'))::int as count
         from unnest(array['yes', 'no']) as able
         left join evaluator_presence on seen_at > now() - interval '1 minute' group by 1`,
    );
  }
}
