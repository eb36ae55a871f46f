import { z } from 'zod';
import { ANNOTATION_OUTCOMES, ExtraField, FooledRule } from '../collection/collection.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { FieldName } from '../text/quantity.js';

const LONGEST_LABEL = 20_000;
const LONGEST_EXPLANATION = 5_000;

/**
 * A label as users give it: one label, several labels, a text, a list of acceptable texts, or a
 * number.
 */
export const GivenLabel = z
  .union([z.string().max(LONGEST_LABEL), z.array(z.string().max(LONGEST_LABEL)).max(100), z.number()])
  .meta({ id: 'GivenLabel', description: 'a label, several, a text or a list of acceptable ones, or a number' });
export type GivenLabel = z.infer<typeof GivenLabel>;

const Fields = z.record(FieldName, z.unknown());

export const Explanations = namedStrictObject('Explanations', {
  example: z.string().max(LONGEST_EXPLANATION).optional().describe('why the label is right'),
  model: z.string().max(LONGEST_EXPLANATION).optional().describe('why the model was, or might have been, fooled'),
});

/** A request for the next context to write an example for. */
export const AskNext = namedStrictObject('AskNext', {
  tag: z.string().min(1).max(200).optional().describe('a context with this tag'),
  context: z.uuid().optional().describe('id of a context that you have been shown: once more'),
  contrast: z
    .union([z.boolean(), z.uuid()])
    .optional()
    .describe('an earlier example to change minimally so that its label flips: any, or the one of this id'),
});
export type AskNext = z.infer<typeof AskNext>;

/** A context to write an example for, with the rules of the task. */
export const NextContext = namedObject('NextContext', {
  round: z.int().describe('number of the open round'),
  context: z
    .object({
      id: z.string().describe('send it with the example'),
      content: Fields.describe('inputs that are given, by name'),
      tags: z.array(z.string()).describe('of the context'),
      prompt: z.string().optional().describe('a text to start from, where there is one'),
    })
    .describe('what to write for'),
  condition: z.string().nullable().describe('arm of the round that you are in; null: it has none'),
  goal: z.string().nullable().describe('the label to write for; null: you choose'),
  models: z.int().describe('models that your example faces; 0: you see no model'),
  contrast: z
    .object({
      id: z.string().describe('send it as contrastTo'),
      input: Fields.describe('what was written'),
      label: z.array(z.string()).describe('what is right for it'),
    })
    .optional()
    .describe('the earlier example to change minimally so that its label flips'),
  rules: z
    .object({
      written: z.array(z.string()).describe('inputs to write'),
      labels: z.array(z.string()).optional().describe('to choose from'),
      span: z.string().optional().describe('input in which the answer is marked'),
      fooled: FooledRule,
      facing: z.string().describe('one, or all of several models: any, all or majority must be fooled'),
      prompt: z.string().describe('whether you start from a text: optional, required or none'),
      length: z.object({
        shortest: z.int().describe('characters of a text at least'),
        longest: z.int().describe('characters of a text at most'),
      }),
      explanations: z.array(z.string()).describe('that are asked for: example, model'),
      fields: z.array(ExtraField).describe('further questions'),
      instructions: z.string().describe('Markdown'),
    })
    .describe('of the task'),
  left: z.int().describe('examples that you may still write today'),
  reservedUntil: z.iso.datetime().describe('until then the context is reserved for you'),
});
export type NextContext = z.infer<typeof NextContext>;

/** An example as its author submits it. */
export const WriteAnnotation = namedStrictObject('WriteAnnotation', {
  key: z
    .string()
    .regex(/^[\w.:-]{1,100}$/, 'must be 1 to 100 letters, digits, or . _ : -')
    .describe('chosen by you: the same key is the same example, however often it is sent'),
  context: z.uuid().describe('id of the context'),
  input: Fields.describe('the inputs that you wrote, by name'),
  label: GivenLabel.describe('what is right'),
  span: z
    .strictObject({
      start: z.int().nonnegative().describe('first character, in UTF-16 units'),
      end: z.int().nonnegative().describe('after the last character'),
    })
    .optional()
    .describe('where in its input the answer stands; default: where it is found first'),
  goal: z.string().max(300).optional().describe('the label that you were shown to write for'),
  contrastTo: z.uuid().optional().describe('id of the example that was changed so that its label flips'),
  fooled: z.boolean().optional().describe('where the task asks you whether the model is wrong'),
  explanations: Explanations.optional(),
  extra: Fields.optional().describe("the task's own questions, by name"),
  seconds: z
    .number()
    .nonnegative()
    .max(86_400)
    .optional()
    .describe('that you worked on it; default: since the context was shown'),
});
export type WriteAnnotation = z.infer<typeof WriteAnnotation>;

/** Additions by the author after the target models have answered. */
export const ChangeAnnotation = namedStrictObject('ChangeAnnotation', {
  explanations: Explanations.optional(),
  extra: Fields.optional().describe("the task's own questions, by name: all that are required"),
  fooled: z.boolean().optional().describe('where the task asks you whether the model is wrong'),
});
export type ChangeAnnotation = z.infer<typeof ChangeAnnotation>;

export const FlagContext = namedStrictObject('FlagContext', {
  reason: z.string().trim().min(1).max(1000).describe('what is wrong with it'),
});
export type FlagContext = z.infer<typeof FlagContext>;

export const SkipContext = namedStrictObject('SkipContext', {
  reason: z.string().trim().min(1).max(1000).optional().describe('why, for the owner of the task'),
});
export type SkipContext = z.infer<typeof SkipContext>;

export const InspectAnnotation = namedStrictObject('InspectAnnotation', {
  label: z.string().max(300).optional().describe('default: what the model answers'),
});
export type InspectAnnotation = z.infer<typeof InspectAnnotation>;

export const InspectInput = namedStrictObject('InspectInput', {
  context: z.uuid().describe('id of the context'),
  input: Fields.describe('the inputs that you wrote, by name'),
  label: z.string().max(300).optional().describe('default: what the model answers'),
});
export type InspectInput = z.infer<typeof InspectInput>;

/** How much each word of an input mattered to a model. */
export const InspectionView = namedObject('Inspection', {
  method: z.enum(['model', 'occlusion']).describe("the model's own explanation, or words left out one after the other"),
  fields: z
    .record(
      z.string(),
      z.array(
        z.object({
          token: z.string().describe('piece of the text'),
          start: z.int().describe('its first character, in UTF-16 units'),
          end: z.int().describe('after its last character'),
          weight: z.number().describe('how much it speaks for the label; negative: against it'),
        }),
      ),
    )
    .describe('by input'),
});
export type InspectionView = z.infer<typeof InspectionView>;

const AnswerView = namedObject('LiveAnswer', {
  place: z.int().describe('from 1: which of the models that it faces'),
  model: z
    .object({
      id: z.string().describe('of the model'),
      name: z.string().describe('of the model'),
    })
    .optional()
    .describe('once the round is closed; for the owner of the task at any time'),
  answer: z.string().describe('several labels are a JSON list'),
  probabilities: z.record(z.string(), z.number()).optional().describe('by label, where the model gives them'),
  milliseconds: z.number().describe("the model's own time"),
  at: z.iso.datetime().describe('when it answered'),
});

const FindingView = namedObject('CheckFinding', {
  check: z.enum(['duplicate', 'copy', 'language', 'length']).describe('which of the automatic checks found it'),
  blocking: z.boolean().describe('the task refuses such examples'),
  message: z.string().describe('what was found'),
});

const judged = {
  round: z.int().describe('number of the round'),
  context: z.string().nullable().describe('id of the context; null: it came without one'),
  condition: z.string().nullable().describe('arm of the round'),
  input: Fields.describe('all inputs, as the models were sent them'),
  label: z.array(z.string()).describe('every acceptable answer, as its author says'),
  goal: z.string().nullable().describe('the label that was to be written for, where one was shown'),
  fooled: z.boolean().nullable().describe("whether the models were wrong, by the task's rule; null: not known"),
  answers: z.array(AnswerView).describe('of the models that it faced'),
  choices: z
    .object({
      texts: z.array(z.string()).describe('the right answer among hard negatives'),
      right: z.int().describe('place of the right one, from 0'),
      chosen: z.array(z.int()).describe("place of the one that is nearest to each model's answer"),
    })
    .nullable()
    .describe('of a multiple choice'),
  findings: z.array(FindingView).describe('of the automatic checks'),
};

/** The result of a trial, of which nothing is stored. */
export const TrialView = namedObject('AnnotationTrial', { trial: z.literal(true), ...judged });
export type TrialView = z.infer<typeof TrialView>;

/** An example that a person wrote against the target models. */
export const AnnotationView = namedObject('Annotation', {
  id: z.string().describe('of the annotation'),
  key: z.string().describe('as it was sent'),
  task: z.string().describe('name of the task in addresses'),
  ...judged,
  explanations: Explanations,
  extra: Fields.describe("the task's own questions, by name"),
  missing: z.array(z.string()).describe('what is asked for and not given yet'),
  contrastTo: z.string().nullable().describe('id of the example that it is the contrast to'),
  editDistance: z
    .int()
    .nullable()
    .describe('characters changed of the text that it was written from; null: it was written freely'),
  seconds: z.number().nullable().describe('that its author worked on it'),
  outcome: z.enum(ANNOTATION_OUTCOMES).describe('what validators found'),
  retractedAt: z.iso.datetime().nullable().describe('when its author took it back'),
  createdAt: z.iso.datetime().describe('when it was sent'),
  answeredAt: z.iso.datetime().nullable().describe('when the models had answered; null: not yet'),
});
export type AnnotationView = z.infer<typeof AnnotationView>;
