import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import type { BoardContent, BoardModel } from './board-content.js';

/** The channel that notifies of a new board revision. The payload is the slug of the task. */
export const BOARD_CHANNEL = 'assay_board';

/**
 * Milliseconds that a benchmark version waits for its contenders: a model that hangs must not block
 * the release.
 */
export const RELEASE_DEADLINE = 86_400_000;

const BoardRevisionSchema = defineEntity({
  name: 'BoardRevision',
  uniques: [{ properties: ['task', 'number'] }],
  indexes: [{ properties: ['task', 'publishedAt'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    task: () => p.manyToOne(Task),
    number: p.integer(),
    benchmarkVersion: p.integer(),
    /** The content as everybody may see it: with rounded scores where the task asks for that. */
    content: p.json<BoardContent>(),
    /** The models of the content with exact scores, for the owner of the task. Null if none is rounded. */
    exactModels: p.json<readonly BoardModel[]>().nullable(),
    /**
     * sha256 of the benchmark version number, the content and the exact models. A new revision is
     * published only if it changed.
     */
    digest: p.string().length(64),
    publishedAt: p.datetime(),
  },
});

/** An immutable publication of the board of a benchmark version. `asOf` selects one. */
export class BoardRevision extends BoardRevisionSchema.class {}
BoardRevisionSchema.setClass(BoardRevision);
