import { Outbox } from '@assay/persistence';
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

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

/**
 * Clears the staleness of a board. A publication calls it before it reads, so it sees every change
 * that was committed before.
 */
export async function forgetStaleness(em: EntityManager, task: string): Promise<void> {
  await em.nativeDelete(StaleBoard, { taskId: task });
}

/** Returns whether the board has changed since the last publication. */
export async function isBoardStale(em: EntityManager, task: string): Promise<boolean> {
  return (await em.execute<unknown[]>('select 1 from stale_board where task_id = ? limit 1', [task])).length > 0;
}

/**
 * Returns the ids of the tasks whose boards have been stale for longer than `seconds`. Includes
 * marks from the future, which exist if the database clock was set back.
 */
export async function staleBoards(em: EntityManager, seconds: number): Promise<readonly string[]> {
  const rows = await em.execute<{ task: string }[]>(
    'select distinct task_id as task from stale_board where at < now() - make_interval(secs => ?) or at > now()',
    [seconds],
  );
  return rows.map(({ task }) => task);
}
