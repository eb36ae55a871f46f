import type { AnnotationOutcome, CheckFinding, LiveAnswer } from '@assay/contracts/collection';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Round, Task } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import { Context } from '../rounds/context.js';
import { COUNT_DECISION } from '../validating/validator-count.js';
import { COUNT_ANNOTATION } from './annotator-count.js';

/** The origin of an annotation: a person wrote it here, or the owner imported it. */
export type AnnotationSource = 'written' | 'attested';

/** A multiple-choice question made from a free-text answer. */
export interface AnnotationChoices {
  readonly texts: readonly string[];
  /** Index of the right answer in `texts`. */
  readonly right: number;
  /** For each of `answers`, the index in `texts` of the nearest choice. */
  readonly chosen: readonly number[];
}

/** The target models' answers to an example, and whether it fooled them. */
export interface Judgement {
  readonly answers: readonly LiveAnswer[];
  readonly fooled: boolean | null;
  readonly choices: AnnotationChoices | null;
}

/** SQL for the `ItemKind` of an annotation. */
export const ITEM_KIND = `case when "is_check" then 'check' when "fooled" then 'fooling' else 'other' end`;

/** SQL for an annotation that validators may still decide on, and for every gold check. */
export const TO_VALIDATE = `"outcome" = 'pending' and "retracted_at" is null and ("is_check" or "answered_at" is not null)`;

export const AnnotationSchema = defineEntity({
  name: 'Annotation',
  uniques: [{ properties: ['round', 'annotator', 'key'] }],
  indexes: [
    { properties: ['round', 'outcome'] },
    { properties: ['annotator', 'createdAt'] },
    { properties: ['context'] },
    {
      // the last digits of an ID are random, so the order has nothing to do with authors or time
      name: 'annotation_to_validate',
      expression: `create index "annotation_to_validate" on "annotation" ("round_id", (${ITEM_KIND}), "verdict_count", right("id"::text, 8)) include ("is_check", "fooled") where ${TO_VALIDATE}`,
    },
  ],
  triggers: [
    {
      name: 'annotation_counts',
      timing: 'after',
      events: ['insert', 'update', 'delete'],
      forEach: 'row',
      body: COUNT_ANNOTATION,
    },
    {
      name: 'annotation_validators',
      timing: 'before',
      events: ['update', 'delete'],
      forEach: 'row',
      body: COUNT_DECISION,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    /** Null only for an imported example without a context. */
    context: () => p.manyToOne(Context).nullable(),
    /** Null if it is imported, or if the author had the link to their account removed. */
    annotator: () => p.manyToOne(User).nullable(),
    /**
     * Keyed hash of the author within the task: the same in all rounds of the task, different in
     * every other task. It stays when the link to the account is removed.
     */
    pseudonym: p.string().length(64),
    /** Idempotency key, chosen by the sender: the same key is the same annotation. */
    key: p.string().length(100),
    source: p.string().length(10).$type<AnnotationSource>(),
    /**
     * True for a gold check: the owner added it with a known label to measure validators. It is not
     * an example of the round.
     */
    isCheck: p.boolean().default(false),
    condition: p.string().length(40).nullable(),
    /**
     * All inputs of the task by name, as they were sent to the models. Empty if the author had the
     * text removed.
     */
    input: p.json<Readonly<Record<string, unknown>>>(),
    /** The author's label: every acceptable answer, in the form of `Example.gold`. */
    authorLabel: p.json<readonly string[]>(),
    /** The label that counts now: the author's, or the one that a decision replaced it with. */
    label: p.json<readonly string[]>(),
    /** The label that the author was asked to write for, if one was shown. */
    goal: p.string().length(300).nullable(),
    /**
     * True if the annotation fooled the target models that it was written against, under the task's
     * rule. Null: not known (yet), or no model was shown.
     */
    fooled: p.boolean().nullable(),
    /**
     * Position of a span in its input, in UTF-16 code units. Null for other outputs, for imported
     * examples, and if the text was removed.
     */
    span: p.json<{ readonly start: number; readonly end: number }>().nullable(),
    /**
     * The right answer among hard negatives, and the choice nearest to each model's answer. Null if
     * no multiple choice was made.
     */
    choices: p.json<AnnotationChoices>().nullable(),
    /** The answers of the target models. Empty in a control arm. */
    answers: p.json<readonly LiveAnswer[]>(),
    /**
     * The first target model: the one drawn, or of an ensemble the one that is in the loop longest.
     */
    target: () => p.manyToOne(Model).nullable(),
    /**
     * The author's explanations: why the label is right (`example`), and why the model was, or
     * might have been, fooled (`model`).
     */
    explanations: p.json<Readonly<Partial<Record<'example' | 'model', string>>>>().onCreate(() => ({})),
    /** Answers to the task's own questions, by field name. */
    extra: p.json<Readonly<Record<string, unknown>>>().onCreate(() => ({})),
    findings: p.json<readonly CheckFinding[]>().default([]),
    /** The earlier annotation that the author changed minimally so that its label flips. */
    contrastTo: () => p.manyToOne(Annotation).nullable(),
    /**
     * Levenshtein distance, in UTF-16 code units, from the text that the author started from: the
     * prompt, or the annotation in `contrastTo`. Null if there was none.
     */
    editDistance: p.integer().nullable(),
    /** Seconds from showing the context to sending the example; null if not known. */
    seconds: p.double().$type<number>().nullable(),
    /**
     * When the models' answers arrived, or the closing round gave them up. Null while they are
     * pending.
     */
    answeredAt: p.datetime().nullable(),
    retractedAt: p.datetime().nullable(),
    outcome: p.string().length(10).$type<AnnotationOutcome>().default('pending'),
    /** The number of verdicts of validators, without those of owners. */
    verdictCount: p.integer().default(0),
    /** True if an owner decided alone. */
    decidedByOwner: p.boolean().default(false),
    decidedAt: p.datetime().nullable(),
    /**
     * Split of the round's frozen dataset; null before the freeze, and for examples that were not
     * validated.
     */
    split: p.string().length(5).$type<'train' | 'dev' | 'test'>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** An example that an annotator wrote against the target models, or that was imported. */
export class Annotation extends AnnotationSchema.class {}
AnnotationSchema.setClass(Annotation);

const ExampleFingerprintSchema = defineEntity({
  name: 'ExampleFingerprint',
  indexes: [
    {
      name: 'example_fingerprint_bands',
      expression: `create index "example_fingerprint_bands" on "example_fingerprint" using gin ("bands")`,
    },
  ],
  properties: {
    annotation: () => p.oneToOne(Annotation).primary().deleteRule('cascade'),
    task: () => p.manyToOne(Task).deleteRule('cascade'),
    /**
     * LSH band keys of the written text: see `bandsOf`. Each key covers the task's ID, so the index
     * only matches examples of the same task.
     */
    bands: p.array(),
  },
});

/** The fingerprint of an example, by which an index finds its near-duplicates. */
export class ExampleFingerprint extends ExampleFingerprintSchema.class {}
ExampleFingerprintSchema.setClass(ExampleFingerprint);
