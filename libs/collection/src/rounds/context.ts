import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

export const ContextSchema = defineEntity({
  name: 'Context',
  tableName: 'round_context',
  uniques: [{ properties: ['round', 'externalId'] }],
  indexes: [
    { properties: ['round', 'annotations', 'draw'] },
    { properties: ['round', 'fooled', 'draw'] },
    { properties: ['round', 'draw'] },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    /** The `id` or `uid` of its line, or the number of the line. */
    externalId: p.string().length(200),
    /** The inputs that the context gives, by name, and a `prompt` if there is one. */
    content: p.json<Readonly<Record<string, unknown>>>(),
    tags: p.json<readonly string[]>().default([]),
    /** The other fields of its line. They are stored and exported, and never sent to a model. */
    metadata: p.json<Readonly<Record<string, unknown>>>().onCreate(() => ({})),
    /** The number of annotations, retracted ones excluded. */
    annotations: p.integer().default(0),
    /** The number of those annotations that fooled the target models. */
    fooled: p.integer().default(0),
    skips: p.integer().default(0),
    flags: p.integer().default(0),
    /** False once the owner removed it: it is assigned to nobody any more. */
    active: p.boolean().default(true),
    /**
     * A uniform random number in [0, 1), drawn by the database. The context with the next greater
     * `draw` than a random number is a random context.
     */
    draw: p.double().defaultRaw('random()'),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A context: the material that an annotator is shown and writes an example for. */
export class Context extends ContextSchema.class {}
ContextSchema.setClass(Context);

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
