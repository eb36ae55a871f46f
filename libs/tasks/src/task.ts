import type { TaskDefinition } from '@assay/contracts/tasks';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, LockMode, p } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';

export const TaskSchema = defineEntity({
  name: 'Task',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    slug: p.string().length(63).unique(),
    owner: () => p.manyToOne(User),
    definition: p.json<TaskDefinition>(),
    createdAt: p.datetime().onCreate(() => new Date()),
    updatedAt: p
      .datetime()
      .onCreate(() => new Date())
      .onUpdate(() => new Date()),
  },
});

export class Task extends TaskSchema.class {}
TaskSchema.setClass(Task);

/**
 * Locks a task until the transaction ends. Every change of its datasets, definition or board takes
 * this lock.
 */
export async function lockTask(em: EntityManager, task: Pick<Task, 'id'>): Promise<Task> {
  return em.findOneOrFail(Task, task.id, { lockMode: LockMode.PESSIMISTIC_WRITE, refresh: true, populate: ['owner'] });
}
