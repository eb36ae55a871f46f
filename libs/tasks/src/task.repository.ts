import { Repository } from '@assay/persistence/queries';
import type { TaskSchema } from './task.js';

/** The tasks of the database. */
export class TaskRepository extends Repository<typeof TaskSchema> {
  /** Locks a task FOR KEY SHARE until the transaction ends: `lockTask` waits. */
  async lockShared(id: string): Promise<void> {
    await this.db.selectFrom('task').select('id').where('id', '=', id).forKeyShare().execute();
  }

  hasSlug(slug: string): Promise<boolean> {
    return this.exists(this.db.selectFrom('task').select('id').where('slug', '=', slug));
  }
}
