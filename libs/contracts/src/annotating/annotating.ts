import { z } from 'zod';
import { ANNOTATION_OUTCOMES, ExtraField, FooledRule } from '../collection/collection.js';
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

export const Explanations = z
  .strictObject({
    example: z.string().max(LONGEST_EXPLANATION).optional().meta({ description: 'why the label is right' }),
    model: z
      .string()
      .max(LONGEST_EXPLANATION)
      .optional()
      .meta({ description: 'why the model was, or might have been, fooled' }),
  })
  .meta({ id: 'Explanations' });

/** A request for the next context to write an example for. */
export const AskNext = z
  .strictObject({
    tag: z.string().min(1).max(200).optional().meta({ description: 'a context with this tag' }),
    context: z.uuid().optional().meta({ description: 'id of a context that you have been shown: once more' }),
    contrast: z.union([z.boolean(), z.uuid()]).optional().meta({
      description: 'an earlier example to change minimally so that its label flips: any, or the one of this id',
    }),
  })
  .meta({ id: 'AskNext' });
export type AskNext = z.infer<typeof AskNext>;

/** A context to write an example for, with the rules of the task. */
export const NextContext = z
  .object({
    round: z.int().meta({ description: 'number of the open round' }),
    context: z
      .object({
        id: z.string().meta({ description: 'send it with the example' }),
        content: Fields.meta({ description: 'inputs that are given, by name' }),
        tags: z.array(z.string()).meta({ description: 'of the context' }),
        prompt: z.string().optional().meta({ description: 'a text to start from, where there is one' }),
      })
      .meta({ description: 'what to write for' }),
    condition: z.string().nullable().meta({ description: 'arm of the round that you are in; null: it has none' }),
    goal: z.string().nullable().meta({ description: 'the label to write for; null: you choose' }),
    models: z.int().meta({ description: 'models that your example faces; 0: you see no model' }),
    contrast: z
      .object({
        id: z.string().meta({ description: 'send it as contrastTo' }),
        input: Fields.meta({ description: 'what was written' }),
        label: z.array(z.string()).meta({ description: 'what is right for it' }),
      })
      .optional()
      .meta({ description: 'the earlier example to change minimally so that its label flips' }),
    rules: z
      .object({
        written: z.array(z.string()).meta({ description: 'inputs to write' }),
        labels: z.array(z.string()).optional().meta({ description: 'to choose from' }),
        span: z.string().optional().meta({ description: 'input in which the answer is marked' }),
        fooled: FooledRule,
        facing: z.string().meta({ description: 'one, or all of several models: any, all or majority must be fooled' }),
        prompt: z.string().meta({ description: 'whether you start from a text: optional, required or none' }),
        length: z.object({
          shortest: z.int().meta({ description: 'characters of a text at least' }),
          longest: z.int().meta({ description: 'characters of a text at most' }),
        }),
        explanations: z.array(z.string()).meta({ description: 'that are asked for: example, model' }),
        fields: z.array(ExtraField).meta({ description: 'further questions' }),
        instructions: z.string().meta({ description: 'Markdown' }),
      })
      .meta({ description: 'of the task' }),
    left: z.int().meta({ description: 'examples that you may still write today' }),
    reservedUntil: z.iso.datetime().meta({ description: 'until then the context is reserved for you' }),
  })
  .meta({ id: 'NextContext' });
export type NextContext = z.infer<typeof NextContext>;

/** An example as its author submits it. */
export const WriteAnnotation = z
  .strictObject({
    key: z
      .string()
      .regex(/^[\w.:-]{1,100}$/, 'must be 1 to 100 letters, digits, or . _ : -')
      .meta({ description: 'chosen by you: the same key is the same example, however often it is sent' }),
    context: z.uuid().meta({ description: 'id of the context' }),
    input: Fields.meta({ description: 'the inputs that you wrote, by name' }),
    label: GivenLabel.meta({ description: 'what is right' }),
    span: z
      .strictObject({
        start: z.int().nonnegative().meta({ description: 'first character, in UTF-16 units' }),
        end: z.int().nonnegative().meta({ description: 'after the last character' }),
      })
      .optional()
      .meta({ description: 'where in its input the answer stands; default: where it is found first' }),
    goal: z.string().max(300).optional().meta({ description: 'the label that you were shown to write for' }),
    contrastTo: z.uuid().optional().meta({ description: 'id of the example that was changed so that its label flips' }),
    fooled: z.boolean().optional().meta({ description: 'where the task asks you whether the model is wrong' }),
    explanations: Explanations.optional(),
    extra: Fields.optional().meta({ description: "the task's own questions, by name" }),
    seconds: z
      .number()
      .nonnegative()
      .max(86_400)
      .optional()
      .meta({ description: 'that you worked on it; default: since the context was shown' }),
  })
  .meta({ id: 'WriteAnnotation' });
export type WriteAnnotation = z.infer<typeof WriteAnnotation>;

/** Additions by the author after the target models have answered. */
export const ChangeAnnotation = z
  .strictObject({
    explanations: Explanations.optional(),
    extra: Fields.optional().meta({ description: "the task's own questions, by name: all that are required" }),
    fooled: z.boolean().optional().meta({ description: 'where the task asks you whether the model is wrong' }),
  })
  .meta({ id: 'ChangeAnnotation' });
export type ChangeAnnotation = z.infer<typeof ChangeAnnotation>;

export const FlagContext = z
  .strictObject({ reason: z.string().trim().min(1).max(1000).meta({ description: 'what is wrong with it' }) })
  .meta({ id: 'FlagContext' });
export type FlagContext = z.infer<typeof FlagContext>;

export const SkipContext = z
  .strictObject({
    reason: z.string().trim().min(1).max(1000).optional().meta({ description: 'why, for the owner of the task' }),
  })
  .meta({ id: 'SkipContext' });
export type SkipContext = z.infer<typeof SkipContext>;

export const InspectAnnotation = z
  .strictObject({ label: z.string().max(300).optional().meta({ description: 'default: what the model answers' }) })
  .meta({ id: 'InspectAnnotation' });
export type InspectAnnotation = z.infer<typeof InspectAnnotation>;

export const InspectInput = z
  .strictObject({
    context: z.uuid().meta({ description: 'id of the context' }),
    input: Fields.meta({ description: 'the inputs that you wrote, by name' }),
    label: z.string().max(300).optional().meta({ description: 'default: what the model answers' }),
  })
  .meta({ id: 'InspectInput' });
export type InspectInput = z.infer<typeof InspectInput>;

/** How much each word of an input mattered to a model. */
export const InspectionView = z
  .object({
    method: z
      .enum(['model', 'occlusion'])
      .meta({ description: "the model's own explanation, or words left out one after the other" }),
    fields: z
      .record(
        z.string(),
        z.array(
          z.object({
            token: z.string().meta({ description: 'piece of the text' }),
            start: z.int().meta({ description: 'its first character, in UTF-16 units' }),
            end: z.int().meta({ description: 'after its last character' }),
            weight: z.number().meta({ description: 'how much it speaks for the label; negative: against it' }),
          }),
        ),
      )
      .meta({ description: 'by input' }),
  })
  .meta({ id: 'Inspection' });
export type InspectionView = z.infer<typeof InspectionView>;

const AnswerView = z
  .object({
    place: z.int().meta({ description: 'from 1: which of the models that it faces' }),
    model: z
      .object({
        id: z.string().meta({ description: 'of the model' }),
        name: z.string().meta({ description: 'of the model' }),
      })
      .optional()
      .meta({ description: 'once the round is closed; for the owner of the task at any time' }),
    answer: z.string().meta({ description: 'several labels are a JSON list' }),
    probabilities: z
      .record(z.string(), z.number())
      .optional()
      .meta({ description: 'by label, where the model gives them' }),
    milliseconds: z.number().meta({ description: "the model's own time" }),
    at: z.iso.datetime().meta({ description: 'when it answered' }),
  })
  .meta({ id: 'LiveAnswer' });

const FindingView = z
  .object({
    check: z
      .enum(['duplicate', 'copy', 'language', 'length'])
      .meta({ description: 'which of the automatic checks found it' }),
    blocking: z.boolean().meta({ description: 'the task refuses such examples' }),
    message: z.string().meta({ description: 'what was found' }),
  })
  .meta({ id: 'CheckFinding' });

const judged = {
  round: z.int().meta({ description: 'number of the round' }),
  context: z.string().nullable().meta({ description: 'id of the context; null: it came without one' }),
  condition: z.string().nullable().meta({ description: 'arm of the round' }),
  input: Fields.meta({ description: 'all inputs, as the models were sent them' }),
  label: z.array(z.string()).meta({ description: 'every acceptable answer, as its author says' }),
  goal: z.string().nullable().meta({ description: 'the label that was to be written for, where one was shown' }),
  fooled: z
    .boolean()
    .nullable()
    .meta({ description: "whether the models were wrong, by the task's rule; null: not known" }),
  answers: z.array(AnswerView).meta({ description: 'of the models that it faced' }),
  choices: z
    .object({
      texts: z.array(z.string()).meta({ description: 'the right answer among hard negatives' }),
      right: z.int().meta({ description: 'place of the right one, from 0' }),
      chosen: z.array(z.int()).meta({ description: "place of the one that is nearest to each model's answer" }),
    })
    .nullable()
    .meta({ description: 'of a multiple choice' }),
  findings: z.array(FindingView).meta({ description: 'of the automatic checks' }),
};

/** The result of a trial, of which nothing is stored. */
export const TrialView = z.object({ trial: z.literal(true), ...judged }).meta({ id: 'AnnotationTrial' });
export type TrialView = z.infer<typeof TrialView>;

/** An example that a person wrote against the target models. */
export const AnnotationView = z
  .object({
    id: z.string().meta({ description: 'of the annotation' }),
    key: z.string().meta({ description: 'as it was sent' }),
    task: z.string().meta({ description: 'name of the task in addresses' }),
    ...judged,
    explanations: Explanations,
    extra: Fields.meta({ description: "the task's own questions, by name" }),
    missing: z.array(z.string()).meta({ description: 'what is asked for and not given yet' }),
    contrastTo: z.string().nullable().meta({ description: 'id of the example that it is the contrast to' }),
    editDistance: z
      .int()
      .nullable()
      .meta({ description: 'characters changed of the text that it was written from; null: it was written freely' }),
    seconds: z.number().nullable().meta({ description: 'that its author worked on it' }),
    outcome: z.enum(ANNOTATION_OUTCOMES).meta({ description: 'what validators found' }),
    retractedAt: z.iso.datetime().nullable().meta({ description: 'when its author took it back' }),
    createdAt: z.iso.datetime().meta({ description: 'when it was sent' }),
    answeredAt: z.iso.datetime().nullable().meta({ description: 'when the models had answered; null: not yet' }),
  })
  .meta({ id: 'Annotation' });
export type AnnotationView = z.infer<typeof AnnotationView>;
