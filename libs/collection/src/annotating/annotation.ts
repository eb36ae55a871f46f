import type { AnnotationOutcome, CheckFinding, LiveAnswer } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { Model } from '@assay/submissions';
import { Round } from '@assay/tasks';
import { defineEntity, p } from '@mikro-orm/core';
import { Context } from '../rounds/context.js';

/** Who wrote it: a person here, or somebody elsewhere whose examples the owner has brought. */
export type AnnotationSource = 'written' | 'attested';

/** A multiple choice that is made of a free answer. */
export interface AnnotationChoices {
  readonly texts: readonly string[];
  /** Place in `texts`. */
  readonly right: number;
  /** One place for each of `answers`. */
  readonly chosen: readonly number[];
}

const AnnotationSchema = defineEntity({
  name: 'Annotation',
  uniques: [{ properties: ['round', 'annotator', 'key'] }],
  indexes: [
    { properties: ['round', 'outcome'] },
    { properties: ['annotator', 'createdAt'] },
    { properties: ['context'] },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    round: () => p.manyToOne(Round).deleteRule('cascade'),
    /** Null only for an attested example that came without one. */
    context: () => p.manyToOne(Context).nullable(),
    /** Null where it is attested, or where the person had the link removed. */
    annotator: () => p.manyToOne(User).nullable(),
    /** Keyed hash of the annotator within the task: stable there, another in every other task. Stays when the link is removed. */
    pseudonym: p.string().length(64),
    /** Chosen by who sends it: the same key is the same annotation, however often it is sent. */
    key: p.string().length(100),
    source: p.string().length(10).$type<AnnotationSource>(),
    /** Of a known label, put in by the owner to see how validators do: it is no example of the round. */
    isCheck: p.boolean().default(false),
    condition: p.string().length(40).nullable(),
    /** All inputs of the task, by name, as the models were sent them. Emptied where the person had the text removed. */
    input: p.json<Readonly<Record<string, unknown>>>(),
    /** Every acceptable answer, in the one form of `Example.gold`. As its author says; `label` is what counts now. */
    authorLabel: p.json<readonly string[]>(),
    /** What counts as right now: the author's, or what validators have made of it. */
    label: p.json<readonly string[]>(),
    /** The label that the author was to write for, where one was shown. */
    goal: p.string().length(300).nullable(),
    /** By the task's rule, against the loop that it was written against; null: not known (yet), or no model was shown. */
    fooled: p.boolean().nullable(),
    /** Where in its input a span stands, in UTF-16 units; null where the output is none, or its author did not say. */
    span: p.json<{ readonly start: number; readonly end: number }>().nullable(),
    /** The right answer among hard negatives, and which the models' answers are nearest to; null where it is no multiple choice. */
    choices: p.json<AnnotationChoices>().nullable(),
    /** Answers of the models that it was written against. Empty in a control arm. */
    answers: p.json<readonly LiveAnswer[]>(),
    /** The first model that it was written against: the one drawn, or the best of an ensemble. */
    target: () => p.manyToOne(Model).nullable(),
    /** Why the label is right (`example`); why the model was, or might have been, fooled (`model`). */
    explanations: p.json<Readonly<Partial<Record<'example' | 'model', string>>>>().onCreate(() => ({})),
    /** The task's own fields. */
    extra: p.json<Readonly<Record<string, unknown>>>().onCreate(() => ({})),
    findings: p.json<readonly CheckFinding[]>().default([]),
    /** The earlier annotation that was changed minimally so that its label flips. */
    contrastTo: () => p.manyToOne(Annotation).nullable(),
    /** Levenshtein distance from the prompt, in characters; null where there was none. */
    editDistance: p.integer().nullable(),
    /** From the context shown to the example sent; null where it is not known. */
    seconds: p.double().$type<number>().nullable(),
    /** When the models' answers were there, or a closing round gave them up; null: they are on their way. */
    answeredAt: p.datetime().nullable(),
    retractedAt: p.datetime().nullable(),
    outcome: p.string().length(10).$type<AnnotationOutcome>().default('pending'),
    /** True where an owner decided alone. */
    decidedByOwner: p.boolean().default(false),
    decidedAt: p.datetime().nullable(),
    /** Of the frozen dataset of its round; null until then, and for what was not validated. */
    split: p.string().length(5).$type<'train' | 'dev' | 'test'>().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** What an annotator wrote against the models in the loop. */
export class Annotation extends AnnotationSchema.class {}
AnnotationSchema.setClass(Annotation);
