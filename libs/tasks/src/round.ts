import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Task } from './task.js';

const RoundSchema = defineEntity({
  name: 'Round',
  uniques: [{ properties: ['task', 'number'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    number: p.integer(),
    state: p.enum(['open', 'closed'] as const),
    imported: p.boolean(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A period of collection against models in the loop. */
export class Round extends RoundSchema.class {}
RoundSchema.setClass(Round);
