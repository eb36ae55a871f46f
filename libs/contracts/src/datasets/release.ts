import { z } from 'zod';
import { ANNOTATION_OUTCOMES, VERDICTS } from '../collection/collection.js';

export const ANNOTATION_SOURCES = ['written', 'attested'] as const;

/** The filters for an export of the annotations of a round or task. */
export const ExportQuery = z.strictObject({
  outcome: z.enum(ANNOTATION_OUTCOMES).optional().meta({ description: 'only those with this fate' }),
  source: z
    .enum(ANNOTATION_SOURCES)
    .optional()
    .meta({ description: 'only those written here, or brought by the owner' }),
});
export type ExportQuery = z.infer<typeof ExportQuery>;

const OutputValue = z
  .union([z.string(), z.number(), z.array(z.string())])
  .nullable()
  .meta({ id: 'OutputValue', description: "a value of the task's output; a list where several are right" });

const ExportedAnswer = z
  .object({
    model: z.string().meta({ description: 'id of the model' }),
    name: z.string().nullable().meta({ description: 'of the model; null where it is gone' }),
    specification: z.string().meta({ description: 'id of the run specification that answered' }),
    answer: z
      .string()
      .nullable()
      .meta({ description: 'what it answered; several labels are a JSON list; null: removed' }),
    probabilities: z.record(z.string(), z.number()).optional().meta({ description: 'by label' }),
    milliseconds: z.number().meta({ description: "the model's own time" }),
    at: z.string().meta({ description: 'when it answered' }),
  })
  .meta({ id: 'ExportedAnswer' });

const ExportedValidation = z
  .object({
    validator: z.string().meta({ description: 'pseudonym: the same person has the same throughout the task' }),
    label: OutputValue.meta({ description: 'what they answered blind' }),
    verdict: z.enum(VERDICTS).nullable().meta({ description: 'null: only the blind answer is there' }),
    rightLabel: OutputValue.meta({ description: 'what is right, where the author is not' }),
    reason: z.string().nullable().meta({ description: 'of a flag' }),
    extra: z.record(z.string(), z.unknown()).meta({ description: "the task's own questions to validators" }),
    byOwner: z.boolean().meta({ description: 'an owner of the task decided' }),
    seconds: z.number().nullable().meta({ description: 'that it took' }),
    answeredAt: z.iso.datetime().nullable().meta({ description: 'when it was answered' }),
  })
  .meta({ id: 'ExportedValidation' });

export const ExportedAnnotation = z
  .object({
    id: z.string().meta({ description: 'of the annotation' }),
    round: z.int().meta({ description: 'number of its round' }),
    source: z.enum(ANNOTATION_SOURCES).meta({ description: 'written here, or brought and attested by the owner' }),
    check: z.boolean().meta({ description: 'of a known label, to see how validators do: no example of the round' }),
    annotator: z.string().nullable().meta({
      description: 'pseudonym: a keyed hash, the same person the same throughout the task and another elsewhere',
    }),
    condition: z.string().nullable().meta({ description: 'arm of the round in which it was written' }),
    context: z
      .object({
        id: z.string().meta({ description: 'as its owner named it' }),
        tags: z.array(z.string()).meta({ description: 'as its owner gave them' }),
        prompt: z.unknown().optional().meta({ description: 'the text that was to be edited, where there was one' }),
        metadata: z.record(z.string(), z.unknown()).meta({ description: 'whatever else its owner gave' }),
      })
      .nullable()
      .meta({ description: 'what it was written for' }),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .meta({ description: 'all inputs by name, as models were sent them; null: its author had the text removed' }),
    removed: z.boolean().meta({ description: 'its author had the text removed' }),
    label: OutputValue.meta({ description: 'what counts as right' }),
    authorLabel: OutputValue.meta({ description: 'what its author said is right' }),
    goal: z.string().nullable().meta({ description: 'label that was to be written for' }),
    fooled: z.boolean().nullable().meta({ description: 'whether the loop was fooled; null: not known, or no model' }),
    target: z
      .object({
        id: z.string().meta({ description: 'of the model' }),
        name: z.string().meta({ description: 'of the model' }),
      })
      .nullable()
      .meta({ description: 'the first model that it was written against' }),
    answers: z.array(ExportedAnswer).meta({ description: 'of the target models' }),
    explanations: z
      .record(z.string(), z.string())
      .meta({ description: 'example: why the label is right; model: why a model was, or might have been, fooled' }),
    extra: z.record(z.string(), z.unknown()).meta({ description: "the task's own questions" }),
    findings: z
      .array(
        z.object({
          check: z.string().meta({ description: 'which check' }),
          blocking: z.boolean().meta({ description: 'whether it refuses' }),
          message: z.string().optional().meta({ description: 'what it said; for the owner alone' }),
        }),
      )
      .meta({ description: 'of automatic checks' }),
    contrastTo: z.string().nullable().meta({ description: 'annotation of which it is the minimal change' }),
    editDistance: z.int().nullable().meta({ description: 'from the prompt, in characters (Levenshtein)' }),
    seconds: z.number().nullable().meta({ description: 'from the context shown to the example sent' }),
    outcome: z.enum(ANNOTATION_OUTCOMES).meta({ description: 'its fate' }),
    decidedByOwner: z.boolean().meta({ description: 'an owner decided alone' }),
    split: z
      .enum(['train', 'dev', 'test'])
      .nullable()
      .meta({ description: 'dataset of the closed round that it is in' }),
    createdAt: z.iso.datetime().meta({ description: 'when it was sent' }),
    retractedAt: z.iso.datetime().nullable().meta({ description: 'when its author took it back' }),
    validations: z.array(ExportedValidation).meta({ description: 'what others said of it' }),
  })
  .meta({ id: 'ExportedAnnotation', description: 'a line of the export' });
export type ExportedAnnotation = z.infer<typeof ExportedAnnotation>;

const Agreed = z
  .array(
    z.object({
      version: z.string().meta({ description: 'that they agreed to' }),
      people: z.int().meta({ description: 'annotators of the round who agreed to it last' }),
    }),
  )
  .meta({ description: 'by version' });

const Rate = z
  .object({
    value: z.number().nullable().meta({ description: 'as a share; null: of nothing' }),
    of: z.int().meta({ description: 'examples that it is a share of' }),
  })
  .meta({ id: 'CardRate' });

export const DataCard = z
  .object({
    task: z
      .object({
        slug: z.string().meta({ description: 'in addresses' }),
        name: z.string().meta({ description: 'for people' }),
        description: z.string().meta({ description: 'Markdown' }),
        language: z.string().meta({ description: 'of the texts' }),
      })
      .meta({ description: 'what the examples are for' }),
    round: z
      .object({
        number: z.int().meta({ description: 'in the task' }),
        description: z.string().meta({ description: 'Markdown' }),
        openedAt: z.iso.datetime().nullable().meta({ description: 'first moment of collection' }),
        closedAt: z.iso.datetime().nullable().meta({ description: 'last moment of collection' }),
        closedBy: z.string().nullable().meta({ description: 'what closed it' }),
      })
      .meta({ description: 'when they were collected' }),
    examples: z
      .object({
        submitted: z.int().meta({ description: 'sent, those taken back left out' }),
        retracted: z.int().meta({ description: 'taken back by their authors' }),
        fooled: z.int().meta({ description: 'of those submitted, that fooled the loop' }),
        attested: z.int().meta({ description: 'of those submitted, brought from elsewhere by the owner' }),
        outcomes: z.record(z.string(), z.int()).meta({ description: 'of those submitted, by fate' }),
        decidedByOwner: z.int().meta({ description: 'of those submitted, decided by an owner alone' }),
        removed: z.int().meta({ description: 'of those submitted, whose text their authors had removed' }),
      })
      .meta({ description: 'how many there are' }),
    people: z
      .object({
        annotators: z.int().meta({ description: 'who wrote' }),
        validators: z.int().meta({ description: 'who validated' }),
        largestShare: z.number().nullable().meta({ description: 'of the examples, by the one who wrote most' }),
      })
      .meta({ description: 'who made them' }),
    contexts: z.int().meta({ description: 'that have examples' }),
    splits: z
      .array(
        z.object({
          split: z.enum(['train', 'dev', 'test']).meta({ description: 'part of the release' }),
          examples: z.int().meta({ description: 'in it' }),
          fooled: z.int().meta({ description: 'of them, that fooled the loop' }),
          contexts: z.int().meta({ description: 'in it; no context is in two splits' }),
        }),
      )
      .meta({ description: 'datasets that the round became' }),
    mer: Rate.meta({ description: 'model error rate: fooled ÷ submitted against a model' }),
    vmer: Rate.meta({
      description: 'validated model error rate: validated and fooled ÷ validated, written against a model',
    }),
    agreement: z
      .object({
        alpha: z
          .object({
            value: z.number().meta({ description: '1: perfect; 0: as by chance' }),
            low: z.number().nullable().meta({ description: 'of its 95% interval' }),
            high: z.number().nullable().meta({ description: 'of its 95% interval' }),
            of: z.enum(['labels', 'verdicts']).meta({ description: 'blind labels, or verdicts on a free text' }),
          })
          .nullable()
          .meta({ description: "Krippendorff's alpha; null: nothing can be told" }),
        validations: z.int().meta({ description: 'answers of validators' }),
        agreeing: z.number().nullable().meta({ description: "share of them with the author's label, said blind" }),
      })
      .meta({ description: 'how far validators agree' }),
    conditions: z
      .array(
        z.object({
          name: z.string().meta({ description: 'of the arm' }),
          prompt: z.boolean().meta({ description: 'whether a prompt was shown' }),
          model: z.boolean().meta({ description: 'false: the control arm' }),
          examples: z.int().meta({ description: 'submitted in it' }),
          annotators: z.int().meta({ description: 'who wrote in it' }),
          mer: Rate.meta({ description: 'model error rate in it' }),
          vmer: Rate.meta({ description: 'validated model error rate in it' }),
        }),
      )
      .meta({ description: 'arms, to which annotators were assigned at random' }),
    models: z
      .array(
        z.object({
          id: z.string().meta({ description: 'of the model' }),
          name: z.string().meta({ description: 'of the model' }),
          reason: z.string().meta({ description: 'policy, named by the owner, or replacement of one that failed' }),
          since: z.iso.datetime().meta({ description: 'when it came into the loop' }),
          until: z.iso.datetime().nullable().meta({ description: 'when it left' }),
          left: z.string().nullable().meta({ description: 'why it left' }),
          mer: Rate.meta({ description: 'fooled ÷ submitted, of examples written against it first' }),
        }),
      )
      .meta({ description: 'target models' }),
    consent: z
      .object({
        version: z.string().nullable().meta({ description: 'that the task asks for; null: none' }),
        text: z.string().nullable().meta({ description: 'Markdown' }),
        agreed: Agreed,
        contentWarning: z.string().nullable().meta({ description: 'that people read before' }),
        minimumAge: z.int().nullable().meta({ description: 'that people said they have' }),
      })
      .meta({ description: 'what people agreed to' }),
    licence: z
      .object({
        name: z.string().nullable().meta({ description: 'such as CC-BY-4.0; null: the task names none' }),
        version: z.string().nullable().meta({ description: 'that the task asks for' }),
        text: z.string().nullable().meta({ description: 'Markdown' }),
        agreed: Agreed,
      })
      .meta({ description: 'under which they contributed' }),
    limits: z.array(z.string()).meta({ description: 'what to keep in mind, as sentences' }),
    citation: z.string().meta({ description: 'how to cite it: BibTeX' }),
  })
  .meta({ id: 'DataCard', description: 'what is to be known of the data of a closed round' });
export type DataCard = z.infer<typeof DataCard>;
