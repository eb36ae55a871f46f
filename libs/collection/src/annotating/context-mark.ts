import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Context } from '../rounds/context.js';

const ContextMarkSchema = defineEntity({
  name: 'ContextMark',
  uniques: [{ properties: ['context', 'user', 'kind'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    context: () => p.manyToOne(Context).deleteRule('cascade'),
    user: () => p.manyToOne(User),
    kind: p.string().length(10).$type<'skip' | 'flag'>(),
    /** The reason for a flag. */
    reason: p.string().length(1000).nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A person's mark on a context: they skipped it, or flagged a problem. */
export class ContextMark extends ContextMarkSchema.class {}
ContextMarkSchema.setClass(ContextMark);
