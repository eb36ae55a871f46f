import type { Verdict } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Annotation } from '../annotating/annotation.js';

const ValidationSchema = defineEntity({
  name: 'Validation',
  uniques: [{ properties: ['annotation', 'validator'] }],
  indexes: [
    { properties: ['validator', 'createdAt'] },
    {
      name: 'validation_waiting',
      expression: `create index "validation_waiting" on "validation" ("created_at") where "answered_at" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    annotation: () => p.manyToOne(Annotation).deleteRule('cascade'),
    /** Null where the person had the link removed. */
    validator: () => p.manyToOne(User).nullable(),
    pseudonym: p.string().length(64),
    /** What they answered before they saw the author's label, in the form of `Example.gold`; null: nothing yet. */
    label: p.json<readonly string[]>().nullable(),
    /** Null between the first answer and the second. */
    verdict: p.string().length(10).$type<Verdict>().nullable(),
    /** What is right, where the author is not. */
    rightLabel: p.json<readonly string[]>().nullable(),
    /** Whether the models that it was written against are wrong; asked only where the task has people say so. */
    modelWrong: p.boolean().nullable(),
    /** Of a flag, or of an owner's decision. */
    reason: p.string().length(1000).nullable(),
    extra: p.json<Readonly<Record<string, unknown>>>().onCreate(() => ({})),
    /** An owner of the task, who may decide alone. */
    byOwner: p.boolean().default(false),
    seconds: p.double().$type<number>().nullable(),
    /** When it was handed to them, the last time; what is handed out and not answered goes to another after a while. */
    createdAt: p.datetime().onCreate(() => new Date()),
    /** When the verdict came. */
    answeredAt: p.datetime().nullable(),
  },
});

/** What another person says of an annotation. */
export class Validation extends ValidationSchema.class {}
ValidationSchema.setClass(Validation);
