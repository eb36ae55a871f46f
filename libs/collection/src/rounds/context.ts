import { newId } from '@assay/kernel';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';

const ContextSchema = defineEntity({
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
    /** As its line names it, or the line's number. */
    externalId: p.string().length(200),
    /** Inputs of the task that are given, by name; also a `prompt` where there is one. */
    content: p.json<Readonly<Record<string, unknown>>>(),
    tags: p.json<readonly string[]>().default([]),
    /** Whatever else its line has: kept, exported, never sent to a model. */
    metadata: p.json<Readonly<Record<string, unknown>>>().onCreate(() => ({})),
    /** Annotations that stand, retracted ones left out. */
    annotations: p.integer().default(0),
    /** Those of them that fooled. */
    fooled: p.integer().default(0),
    skips: p.integer().default(0),
    flags: p.integer().default(0),
    /** False once its owner took it out: nobody is shown it any more. */
    active: p.boolean().default(true),
    /** Uniform in [0, 1), drawn by the database: the next one up from a random number is a random context. */
    draw: p.double().defaultRaw('random()'),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** What an annotator is shown. */
export class Context extends ContextSchema.class {}
ContextSchema.setClass(Context);
