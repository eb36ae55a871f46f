import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/postgresql';
import { Task } from './task.js';

const TaskSubmitterSchema = defineEntity({
  name: 'TaskSubmitter',
  uniques: [{ properties: ['task', 'user'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    user: () => p.manyToOne(User).deleteRule('cascade').index(),
  },
});

/** A user who may submit to a task that limits its submitters. */
export class TaskSubmitter extends TaskSubmitterSchema.class {}
TaskSubmitterSchema.setClass(TaskSubmitter);
