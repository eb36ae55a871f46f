import type { SavedWeighing } from '@assay/contracts/boards';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const savedProperties = () => ({
  id: p.uuid().primary().onCreate(newId),
  task: () => p.manyToOne(Task).deleteRule('cascade'),
  owner: () => p.manyToOne(User),
  /** Unique within the task, and part of the URL, which is permanent for a snapshot. */
  name: p.string().length(63),
  description: p.text(),
  weighing: p.json<SavedWeighing>(),
  createdAt: p.datetime().onCreate(() => new Date()),
});

const BoardForkSchema = defineEntity({
  name: 'BoardFork',
  uniques: [{ properties: ['task', 'name'] }],
  properties: savedProperties(),
});

/** A saved weighing of one owner under a name. Its board follows the current data. */
export class BoardFork extends BoardForkSchema.class {}
BoardForkSchema.setClass(BoardFork);

const BoardSnapshotSchema = defineEntity({
  name: 'BoardSnapshot',
  uniques: [{ properties: ['task', 'name'] }],
  properties: {
    ...savedProperties(),
    /** The number of the frozen board revision. */
    revision: p.integer(),
    /** The board as JSON text, exactly as it was shown. Never changes. */
    board: p.text(),
  },
});

/** A frozen board with a permanent name and URL. */
export class BoardSnapshot extends BoardSnapshotSchema.class {}
BoardSnapshotSchema.setClass(BoardSnapshot);
