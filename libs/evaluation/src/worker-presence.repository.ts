import { databaseTime, databaseTimeIn, jsonValue, Repository } from '@assay/persistence/queries';
import type { WorkerPresence, WorkerPresenceSchema } from './worker-presence.js';

/** The heartbeats of workers in the database. All times are those of the database. */
export class WorkerPresenceRepository extends Repository<typeof WorkerPresenceSchema> {
  /** Records that a worker has just started. */
  async recordStart(name: string): Promise<void> {
    await this.em.execute(
      `insert into worker_presence (name) values (?)
        on conflict (name) do update set started_at = now(), seen_at = now(), problems = '[]'`,
      [name],
    );
  }

  /**
   * Records that a worker is alive, with the services that do not respond to it. Does not bring back
   * the row of a worker that has just shut down.
   */
  async recordSeen(name: string, problems: readonly string[] = []): Promise<void> {
    await this.db
      .updateTable('worker_presence')
      .set({ seenAt: databaseTime(), problems: jsonValue(problems) })
      .where('name', '=', name)
      .execute();
  }

  /** Removes the row of a worker that shuts down in an orderly way. */
  async remove(name: string): Promise<void> {
    await this.db.deleteFrom('worker_presence').where('name', '=', name).execute();
  }

  /** Returns the workers that were seen in the last `seconds`, in no order. */
  seenWithin(seconds: number): Promise<Pick<WorkerPresence, 'name' | 'problems'>[]> {
    return this.db
      .selectFrom('worker_presence')
      .select(['name', 'problems'])
      .where('seenAt', '>', databaseTimeIn(-seconds))
      .execute();
  }
}
