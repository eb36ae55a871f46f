import { newId } from '@assay/kernel';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import type { BoardContent, BoardModel } from './board-content.js';
import type { StoredRanks } from './stored-ranks.js';

/** The channel that notifies of a new board revision. The payload is the slug of the task. */
export const BOARD_CHANNEL = 'assay_board';

/**
 * Milliseconds that a benchmark version waits for its contenders: a model that hangs must not block
 * the release.
 */
export const RELEASE_DEADLINE = 86_400_000;

/**
 * The content of a revision as it is stored. Its models are in `board_row`; revisions from before that
 * table contain them.
 */
export type StoredContent = Omit<BoardContent, 'models'> & Partial<Pick<BoardContent, 'models'>>;

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
    content: p.json<StoredContent>(),
    /** The digests of the rows of its models, 32 bytes each, in their order. Null: `content` has the models. */
    modelRows: p.blob().nullable(),
    /** The rows of its models with exact scores, for the owner of the task. Null if none is rounded. */
    exactModelRows: p.blob().nullable(),
    /** The models with exact scores of a revision without `modelRows`. Null if none is rounded. */
    exactModels: p.json<readonly BoardModel[]>().nullable(),
    /** The rank intervals under the task's own weights. Null: they are computed when the board is read. */
    officialRanks: p.json<StoredRanks>().nullable(),
    /**
     * sha256 of the benchmark version number, the content and the digests of all rows. A new revision
     * is published only if it changed.
     */
    digest: p.string().length(64),
    publishedAt: p.datetime(),
  },
});

/** An immutable publication of the board of a benchmark version. `asOf` selects one. */
export class BoardRevision extends BoardRevisionSchema.class {}
BoardRevisionSchema.setClass(BoardRevision);
