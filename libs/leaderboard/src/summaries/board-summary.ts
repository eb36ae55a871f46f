import type { OverviewView } from '@assay/contracts/annotating';
import { Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

/** The part of the overview that comes from a task's board. */
export type BoardStanding = Pick<OverviewView['items'][number], 'models' | 'leaders'> & {
  readonly saturation: NonNullable<OverviewView['items'][number]['saturation']>;
};

export const BoardSummarySchema = defineEntity({
  name: 'BoardSummary',
  properties: {
    task: () => p.manyToOne(Task).primary().deleteRule('cascade'),
    /** The number of the board revision. */
    revision: p.integer(),
    /** As everybody may see it. */
    disclosed: p.json<BoardStanding>(),
    /** With exact scores, for the owner of the task. Null if none is rounded. */
    exact: p.json<BoardStanding>().nullable(),
  },
});

/** The standing of the newest board of a task, so that the overview need not compute it. */
export class BoardSummary extends BoardSummarySchema.class {}
BoardSummarySchema.setClass(BoardSummary);
