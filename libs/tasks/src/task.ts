import type { TaskDefinition } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const TaskSchema = defineEntity({
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
