import type { Verdict } from '@assay/contracts/collection';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { Annotation } from '../annotating/annotation.js';
import { COUNT_VALIDATION } from './validator-count.js';

const ValidationSchema = defineEntity({
  name: 'Validation',
  uniques: [{ properties: ['annotation', 'validator'] }],
  indexes: [
    { properties: ['validator', 'createdAt'] },
    {
      name: 'validation_waiting',
      expression: `create index "validation_waiting" on "validation" ("created_at") where "answered_at" is null`,
    },
    { properties: ['pseudonym'] },
  ],
  triggers: [
    {
      name: 'validation_counts',
      timing: 'after',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
      body: COUNT_VALIDATION,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    annotation: () => p.manyToOne(Annotation).deleteRule('cascade'),
    /** Null if the validator had the link to their account removed. */
    validator: () => p.manyToOne(User).nullable(),
    pseudonym: p.string().length(64),
    /**
     * The label that the validator gave before they saw the author's, in the form of
     * `Example.gold`; null: none yet.
     */
    label: p.json<readonly string[]>().nullable(),
    /** Null until the verdict is given, which may be after the blind label. */
    verdict: p.string().length(10).$type<Verdict>().nullable(),
    /** The right label, with the verdict `incorrect`. */
    rightLabel: p.json<readonly string[]>().nullable(),
    /**
     * True if the target models answered incorrectly. Asked only if the task has people decide
     * that.
     */
    modelWrong: p.boolean().nullable(),
    /**
     * True if the verdict agrees with the decision on the example, or for a gold check, if the label
     * is the known one. Null without a decision, and for decisions before this was stored.
     */
    agrees: p.boolean().nullable(),
    /** The reason for a flag or for an owner's decision. */
    reason: p.string().length(1000).nullable(),
    extra: p.json<Readonly<Record<string, unknown>>>().onCreate(() => ({})),
    /** True if an owner of the task decided alone. */
    byOwner: p.boolean().default(false),
    seconds: p.double().$type<number>().nullable(),
    /**
     * When the annotation was last assigned to the validator. After `ASSIGNED_MILLISECONDS` without
     * an answer it may be assigned to another one.
     */
    createdAt: p.datetime().onCreate(() => new Date()),
    /** When the verdict was given. */
    answeredAt: p.datetime().nullable(),
  },
});

/** One person's verdict on another person's annotation. */
export class Validation extends ValidationSchema.class {}
ValidationSchema.setClass(Validation);
