import { Outbox } from '@assay/persistence';
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

const StaleBoardSchema = defineEntity({
  name: 'StaleBoard',
  properties: {
    id: p.bigint('string').primary().autoincrement(),
    // no foreign key: it would wait for the lock that a publication has on the task
    taskId: p.uuid().index(),
    at: p.datetime().defaultRaw('now()'),
  },
});

/** Something that the board of a task stands on has changed, and no publication has looked at it since. */
export class StaleBoard extends StaleBoardSchema.class {}
StaleBoardSchema.setClass(StaleBoard);

/** Event `board.stale`: something that the board of a task stands on has changed. */
export interface BoardStale {
  readonly taskId: string;
}

/** Has the board of the task published anew when the transaction of `em` commits, also where the ring is lost. */
export function markBoardStale(em: EntityManager, task: string): void {
  em.create(StaleBoard, { taskId: task }, { persist: true });
  Outbox.add(em, 'board.stale', { taskId: task } satisfies BoardStale);
}

/** For a publication, before it looks: what is committed until here it will see. */
export async function forgetStaleness(em: EntityManager, task: string): Promise<void> {
  await em.nativeDelete(StaleBoard, { taskId: task });
}

/** Whether anything has changed since a publication last looked. */
export async function isBoardStale(em: EntityManager, task: string): Promise<boolean> {
  return (await em.execute<unknown[]>('select 1 from stale_board where task_id = ? limit 1', [task])).length > 0;
}

/** Ids of the tasks whose boards have been stale for longer than `seconds`, or since before the clock of the database was set back. */
export async function staleBoards(em: EntityManager, seconds: number): Promise<readonly string[]> {
  const rows = await em.execute<{ task: string }[]>(
    'select distinct task_id as task from stale_board where at < now() - make_interval(secs => ?) or at > now()',
    [seconds],
  );
  return rows.map(({ task }) => task);
}
