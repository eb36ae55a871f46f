import { Outbox } from '@assay/persistence/outbox';
import { defineEntity, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

export const StaleBoardSchema = defineEntity({
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
