import { Repository } from '@assay/persistence/queries';
import type { UserSchema } from './user.js';

/** The users of the database. */
export class UserRepository extends Repository<typeof UserSchema> {
  /**
   * Locks a user until the transaction ends, to check something against a limit of theirs. Rows that
   * merely reference the user can still be written. Lock order: a user after a task or a model,
   * never before.
   */
  async lock(id: string): Promise<void> {
    await this.db.selectFrom('user_account').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  }
}
