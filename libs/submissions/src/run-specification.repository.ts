import { Repository } from '@assay/persistence/queries';
import type { ModelSchema } from './model.js';
import type { RunSpecificationSchema } from './run-specification.js';

/**
 * The run specifications of the database. A lock on one lasts until the transaction ends: every
 * other transaction that changes its cells or runs waits. Without the lock a run could end while
 * another transaction adds a cell for it. Every transaction locks the specification first, then the
 * model, then the run.
 */
export class RunSpecificationRepository extends Repository<typeof RunSpecificationSchema | typeof ModelSchema> {
  async lock(id: string): Promise<void> {
    await this.locked().where('id', '=', id).execute();
  }

  /** Locks the specification with this key, if it exists. */
  async lockKey(key: string): Promise<void> {
    await this.locked().where('key', '=', key).execute();
  }

  /** Locks the specification of a model and returns its ID; undefined if the model has none. */
  async lockOf(model: string): Promise<string | undefined> {
    const row = await this.locked()
      .where('id', '=', (specification) =>
        specification.selectFrom('model').select('specification').where('id', '=', model),
      )
      .executeTakeFirst();
    return row?.id;
  }

  /**
   * Returns the sorted IDs of the specifications of the task's models that are neither withdrawn nor
   * cancelled.
   */
  async ofTask(task: string): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('model')
      .select('specification')
      .distinct()
      .where('task', '=', task)
      .where('withdrawn', '=', false)
      .where('specification', 'is not', null)
      .where('state', '<>', 'cancelled')
      .orderBy('specification')
      .execute();
    return rows.map(({ specification }) => specification!);
  }

  private locked() {
    return this.db.selectFrom('run_specification').select('id').forNoKeyUpdate();
  }
}
