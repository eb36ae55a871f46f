import { type CountedRows, databaseTime, databaseTimeIn, jsonValue, Repository } from '@assay/persistence/queries';
import { sql } from 'kysely';
import type { ProcessPresence, ProcessPresenceSchema, ProcessRole } from './process-presence.js';

export type SeenProcess = Pick<ProcessPresence, 'name' | 'startedAt' | 'seenAt' | 'problems'> & {
  /** True if it was seen in the last minute. */
  readonly isRecent: boolean;
};

/** The heartbeats of evaluators and workers in the database. All times are those of the database. */
export class ProcessPresenceRepository extends Repository<typeof ProcessPresenceSchema> {
  /** Records that a process has just started. */
  async recordStart(name: string, role: ProcessRole = 'evaluator'): Promise<void> {
    await this.em.execute(
      `insert into evaluator_presence (name, role) values (?, ?)
        on conflict (name) do update set role = excluded.role, started_at = now(), seen_at = now(), problems = '[]'`,
      [name, role],
    );
  }

  /**
   * Records that a process is alive, with the services that do not respond to it. Does not bring back
   * the row of a process that has just shut down.
   */
  async recordSeen(name: string, problems: readonly string[] = []): Promise<void> {
    await this.db
      .updateTable('evaluator_presence')
      .set({ seenAt: databaseTime(), problems: jsonValue(problems) })
      .where('name', '=', name)
      .execute();
  }

  /** Removes the row of a process that shuts down in an orderly way. */
  async remove(name: string): Promise<void> {
    await this.db.deleteFrom('evaluator_presence').where('name', '=', name).execute();
  }

  /** Returns the processes with one of the roles that were seen in the last `seconds`, in no order. */
  seenWithin(seconds: number, roles: readonly ProcessRole[] = ['evaluator']): Promise<SeenProcess[]> {
    return this.db
      .selectFrom('evaluator_presence')
      .select(['name', 'startedAt', 'seenAt', 'problems'])
      .select(sql<boolean>`seen_at > now() - interval '1 minute'`.as('isRecent'))
      .where('role', 'in', roles)
      .where('seenAt', '>', databaseTimeIn(-seconds))
      .execute();
  }

  /**
   * Counts the evaluators that were seen in the last minute, by whether they can work (`able`).
   * Registered evaluators report only while they can.
   */
  countByAbility(): Promise<CountedRows[]> {
    return this.em.execute<CountedRows[]>(
      `select able, count(name) filter (where is_able = (able = 'yes'))::int as count
         from unnest(array['yes', 'no']) as able
         left join (
           select name, problems = '[]' as is_able from evaluator_presence
            where role = 'evaluator' and seen_at > now() - interval '1 minute'
           union all
           select name, true from evaluator where state = 'active' and last_seen_at > now() - interval '1 minute'
         ) as seen on true group by 1`,
    );
  }

  /** Returns whether a registered evaluator for the tasks of everyone was seen in the last `seconds`. */
  isRegisteredSeen(seconds: number): Promise<boolean> {
    return this.em
      .execute<unknown[]>(
        `select 1 from evaluator where state = 'active' and owner_id is null
          and last_seen_at > now() - make_interval(secs => ?) limit 1`,
        [seconds],
      )
      .then((rows) => rows.length > 0);
  }
}
