import type { SavedWeighing } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const BoardForkSchema = defineEntity({
  name: 'BoardFork',
  uniques: [{ properties: ['task', 'name'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    owner: () => p.manyToOne(User),
    /** Unique in the task, and part of its address. */
    name: p.string().length(63),
    description: p.text(),
    weighing: p.json<SavedWeighing>(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** Somebody's own weights under a name, on data that go on. */
export class BoardFork extends BoardForkSchema.class {}
BoardForkSchema.setClass(BoardFork);

const BoardSnapshotSchema = defineEntity({
  name: 'BoardSnapshot',
  uniques: [{ properties: ['task', 'name'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    owner: () => p.manyToOne(User),
    /** Unique in the task, and part of its permanent address. */
    name: p.string().length(63),
    description: p.text(),
    weighing: p.json<SavedWeighing>(),
    /** The board revision that it froze. */
    revision: p.integer(),
    /** The board as it was shown, in bytes that never change. */
    board: p.text(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A board as it stood, under a name and an address that stay. */
export class BoardSnapshot extends BoardSnapshotSchema.class {}
BoardSnapshotSchema.setClass(BoardSnapshot);
