import { Outbox } from '@assay/persistence/outbox';
import { databaseTime, databaseTimeIn, Repository } from '@assay/persistence/queries';
import { defineEntity, type EntityManager, p } from '@mikro-orm/postgresql';

const StaleBoardSchema = defineEntity({
  name: 'StaleBoard',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    // no foreign key: its check would wait for the lock that a publication holds on the task
    taskId: p.uuid().index(),
    at: p.datetime().defaultRaw('now()'),
  },
});

/** A change to an input of a task's board that no publication has processed yet. */
export class StaleBoard extends StaleBoardSchema.class {}
StaleBoardSchema.setClass(StaleBoard);

/**
 * Requests a publication of the task's board when the transaction of `em` commits. The stored row
 * ensures it even if the job is lost.
 */
export function markBoardStale(em: EntityManager, task: string): void {
  em.create(StaleBoard, { taskId: task }, { persist: true });
  Outbox.add(em, 'board.stale', { taskId: task });
}

/** The stale boards of the database, by task. `markBoardStale` adds them. */
export class StaleBoardRepository extends Repository<typeof StaleBoardSchema> {
  /**
   * Clears the staleness of a board. A publication calls it before it reads, so it sees every change
   * that was committed before.
   */
  async clear(task: string): Promise<void> {
    await this.db.deleteFrom('stale_board').where('taskId', '=', task).execute();
  }

  /** Returns whether the board has changed since the last publication. */
  isStale(task: string): Promise<boolean> {
    return this.exists(this.db.selectFrom('stale_board').select('id').where('taskId', '=', task).limit(1));
  }

  /**
   * Returns the IDs of the tasks whose boards have been stale for longer than `seconds`. Includes
   * marks from the future, which exist if the database clock was set back.
   */
  async staleFor(seconds: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('stale_board')
      .select('taskId')
      .distinct()
      .where((mark) => mark.or([mark('at', '<', databaseTimeIn(-seconds)), mark('at', '>', databaseTime())]))
      .execute();
    return rows.map(({ taskId }) => taskId);
  }
}
