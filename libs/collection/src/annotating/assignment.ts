import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import { Context } from '../rounds/context.js';
import { Annotation } from './annotation.js';

/** `passed`: skipped, flagged, or left for another one; `expired`: it went to somebody else, and may still be written. */
export type AssignmentState = 'open' | 'sent' | 'passed' | 'expired';

const AssignmentSchema = defineEntity({
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
    /** The label to write for, where one is shown. */
    goal: p.string().length(300).nullable(),
    /** The tag by which it was chosen, where tags take turns. */
    tag: p.string().length(200).nullable(),
    /** The example that is to be changed; such a context stays free for others. */
    contrastTo: () => p.manyToOne(Annotation).deleteRule('cascade').nullable(),
    /** Until then nobody else is given the context. */
    expiresAt: p.datetime(),
    /** When the context was first shown. */
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** That a context was handed to somebody to write for: one example comes of it. A person has one open in a round. */
export class Assignment extends AssignmentSchema.class {}
AssignmentSchema.setClass(Assignment);
