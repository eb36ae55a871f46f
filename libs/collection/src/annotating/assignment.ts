import { User } from '@assay/identity';
import { newId, type TransitionTable } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import { Context } from '../rounds/context.js';
import { Annotation } from './annotation.js';

/**
 * `passed`: skipped, flagged, or replaced by another assignment. `expired`: the context went to
 * another person; the example may still be sent.
 */
export type AssignmentState = 'open' | 'sent' | 'passed' | 'expired';

/** The legal transitions of an assignment. An example may still be sent for one that was passed. */
export const ASSIGNMENT_TRANSITIONS = {
  open: ['sent', 'passed', 'expired'],
  expired: ['sent', 'passed'],
  passed: ['sent'],
  sent: [],
} as const satisfies TransitionTable<AssignmentState>;

export const AssignmentSchema = defineEntity({
  name: 'Assignment',
  indexes: [
    { properties: ['user', 'createdAt'] },
    { properties: ['context', 'user'] },
    {
      name: 'assignment_open_of_user',
      expression: `create unique index "assignment_open_of_user" on "assignment" ("round_id", "user_id") where "state" = 'open'`,
    },
    {
      name: 'assignment_open_of_context',
      expression: `create unique index "assignment_open_of_context" on "assignment" ("context_id") where "state" = 'open' and "contrast_to_id" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    context: () => p.manyToOne(Context).deleteRule('cascade'),
    user: () => p.manyToOne(User),
    state: p.string().length(10).$type<AssignmentState>().default('open'),
    /** The label to write for, if one is shown. */
    goal: p.string().length(300).nullable(),
    /** The tag by which the context was chosen, if contexts are chosen by alternating tags. */
    tag: p.string().length(200).nullable(),
    /** The example that is to be changed. Its context stays available to other people. */
    contrastTo: () => p.manyToOne(Annotation).deleteRule('cascade').nullable(),
    /** Until then, nobody else is assigned the context. */
    expiresAt: p.datetime(),
    /** When the context was first shown. */
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/**
 * A context assigned to a person, for which they write one example. A person has at most one open
 * assignment in a round.
 */
export class Assignment extends AssignmentSchema.class {}
AssignmentSchema.setClass(Assignment);
