import { z } from 'zod';
import { ANNOTATION_OUTCOMES, VERDICTS } from '../collection/collection.js';
import { RoundCost } from '../planning/round-cost.js';
import { namedObject } from '../named-object.js';

export const ANNOTATION_SOURCES = ['written', 'attested'] as const;

/** The filters for an export of the annotations of a round or task. */
export const ExportQuery = z.strictObject({
  outcome: z.enum(ANNOTATION_OUTCOMES).optional().describe('only those with this fate'),
  source: z.enum(ANNOTATION_SOURCES).optional().describe('only those written here, or brought by the owner'),
});
export type ExportQuery = z.infer<typeof ExportQuery>;

const OutputValue = z
  .union([z.string(), z.number(), z.array(z.string())])
  .nullable()
  .meta({ id: 'OutputValue', description: "a value of the task's output; a list where several are right" });

const ExportedAnswer = namedObject('ExportedAnswer', {
  model: z.string().describe('id of the model'),
  name: z.string().nullable().describe('of the model; null where it is gone'),
  specification: z.string().describe('id of the run specification that answered'),
  answer: z.string().nullable().describe('what it answered; several labels are a JSON list; null: removed'),
  probabilities: z.record(z.string(), z.number()).optional().describe('by label'),
  milliseconds: z.number().describe("the model's own time"),
  at: z.string().describe('when it answered'),
});

const ExportedValidation = namedObject('ExportedValidation', {
  validator: z.string().describe('pseudonym: the same person has the same throughout the task'),
  label: OutputValue.describe('what they answered blind'),
  verdict: z.enum(VERDICTS).nullable().describe('null: only the blind answer is there'),
  rightLabel: OutputValue.describe('what is right, where the author is not'),
  reason: z.string().nullable().describe('of a flag'),
  extra: z.record(z.string(), z.unknown()).describe("the task's own questions to validators"),
  byOwner: z.boolean().describe('an owner of the task decided'),
  seconds: z.number().nullable().describe('that it took'),
  answeredAt: z.iso.datetime().nullable().describe('when it was answered'),
});

export const ExportedAnnotation = z
  .object({
    id: z.string().describe('of the annotation'),
    round: z.int().describe('number of its round'),
    source: z.enum(ANNOTATION_SOURCES).describe('written here, or brought and attested by the owner'),
    check: z.boolean().describe('of a known label, to see how validators do: no example of the round'),
    annotator: z
      .string()
      .nullable()
      .describe('pseudonym: a keyed hash, the same person the same throughout the task and another elsewhere'),
    condition: z.string().nullable().describe('arm of the round in which it was written'),
    context: z
      .object({
        id: z.string().describe('as its owner named it'),
        tags: z.array(z.string()).describe('as its owner gave them'),
        prompt: z.unknown().optional().describe('the text that was to be edited, where there was one'),
        metadata: z.record(z.string(), z.unknown()).describe('whatever else its owner gave'),
      })
      .nullable()
      .describe('what it was written for'),
    input: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('all inputs by name, as models were sent them; null: its author had the text removed'),
    removed: z.boolean().describe('its author had the text removed'),
    label: OutputValue.describe('what counts as right'),
    authorLabel: OutputValue.describe('what its author said is right'),
    goal: z.string().nullable().describe('label that was to be written for'),
    fooled: z.boolean().nullable().describe('whether the loop was fooled; null: not known, or no model'),
    target: z
      .object({
        id: z.string().describe('of the model'),
        name: z.string().describe('of the model'),
      })
      .nullable()
      .describe('the first model that it was written against'),
    answers: z.array(ExportedAnswer).describe('of the target models'),
    explanations: z
      .record(z.string(), z.string())
      .describe('example: why the label is right; model: why a model was, or might have been, fooled'),
    extra: z.record(z.string(), z.unknown()).describe("the task's own questions"),
    findings: z
      .array(
        z.object({
          check: z.string().describe('which check'),
          blocking: z.boolean().describe('whether it refuses'),
          message: z.string().optional().describe('what it said; for the owner alone'),
        }),
      )
      .describe('of automatic checks'),
    contrastTo: z.string().nullable().describe('annotation of which it is the minimal change'),
    editDistance: z.int().nullable().describe('from the prompt, in characters (Levenshtein)'),
    seconds: z.number().nullable().describe('from the context shown to the example sent'),
    outcome: z.enum(ANNOTATION_OUTCOMES).describe('its fate'),
    decidedByOwner: z.boolean().describe('an owner decided alone'),
    split: z.enum(['train', 'dev', 'test']).nullable().describe('dataset of the closed round that it is in'),
    createdAt: z.iso.datetime().describe('when it was sent'),
    retractedAt: z.iso.datetime().nullable().describe('when its author took it back'),
    validations: z.array(ExportedValidation).describe('what others said of it'),
  })
  .meta({ id: 'ExportedAnnotation', description: 'a line of the export' });
export type ExportedAnnotation = z.infer<typeof ExportedAnnotation>;

const Agreed = z
  .array(
    z.object({
      version: z.string().describe('that they agreed to'),
      people: z.int().describe('annotators of the round who agreed to it last'),
    }),
  )
  .describe('by version');

const Rate = namedObject('CardRate', {
  value: z.number().nullable().describe('as a share; null: of nothing'),
  of: z.int().describe('examples that it is a share of'),
});
const ValidatedRate = Rate.extend({
  pending: z.int().describe('of these examples, those not validated yet; while there are any, it is a lower bound'),
}).meta({ id: 'CardValidatedErrorRate' });

export const DataCard = z
  .object({
    task: z
      .object({
        slug: z.string().describe('in addresses'),
        name: z.string().describe('for people'),
        description: z.string().describe('Markdown'),
        language: z.string().describe('of the texts'),
      })
      .describe('what the examples are for'),
    round: z
      .object({
        number: z.int().describe('in the task'),
        description: z.string().describe('Markdown'),
        openedAt: z.iso.datetime().nullable().describe('first moment of collection'),
        closedAt: z.iso.datetime().nullable().describe('last moment of collection'),
        closedBy: z.string().nullable().describe('what closed it'),
      })
      .describe('when they were collected'),
    examples: z
      .object({
        submitted: z.int().describe('sent, without retracted ones'),
        retracted: z.int().describe('retracted by their authors'),
        fooled: z.int().describe('of those submitted, that fooled the loop'),
        attested: z.int().describe('of those submitted, brought from elsewhere by the owner'),
        outcomes: z.record(z.string(), z.int()).describe('of those submitted, by fate'),
        decidedByOwner: z.int().describe('of those submitted, decided by an owner alone'),
        removed: z.int().describe('of those submitted, whose text their authors had removed'),
      })
      .describe('how many there are'),
    people: z
      .object({
        annotators: z.int().describe('who wrote'),
        validators: z.int().describe('who validated'),
        largestShare: z.number().nullable().describe('of the examples, by the one who wrote most'),
      })
      .describe('who made them'),
    contexts: z.int().describe('that have examples'),
    splits: z
      .array(
        z.object({
          split: z.enum(['train', 'dev', 'test']).describe('part of the release'),
          examples: z.int().describe('in it'),
          fooled: z.int().describe('of them, that fooled the loop'),
          contexts: z.int().describe('in it; no context is in two splits'),
        }),
      )
      .describe('datasets that the round became'),
    mer: Rate.describe('model error rate: fooled ÷ submitted against a model'),
    vmer: ValidatedRate.describe(
      'validated model error rate: validated and fooled ÷ all submitted examples written against a model',
    ),
    errorRateAmongValidated: Rate.describe('validated and fooled ÷ validated, written against a model'),
    agreement: z
      .object({
        alpha: z
          .object({
            value: z.number().describe('1: perfect; 0: as by chance'),
            low: z.number().nullable().describe('of its 95% interval'),
            high: z.number().nullable().describe('of its 95% interval'),
            of: z.enum(['labels', 'verdicts']).describe('blind labels, or verdicts on a free text'),
          })
          .nullable()
          .describe("Krippendorff's alpha; null: nothing can be told"),
        validations: z.int().describe('answers of validators'),
        agreeing: z.number().nullable().describe("share of them with the author's label, said blind"),
      })
      .describe('how far validators agree'),
    conditions: z
      .array(
        z.object({
          name: z.string().describe('of the arm'),
          prompt: z.boolean().describe('whether a prompt was shown'),
          model: z.boolean().describe('false: the control arm'),
          examples: z.int().describe('submitted in it'),
          annotators: z.int().describe('who wrote in it'),
          mer: Rate.describe('model error rate in it'),
          vmer: ValidatedRate.describe('validated model error rate in it'),
          errorRateAmongValidated: Rate.describe('error rate among its validated examples'),
        }),
      )
      .describe('arms, to which annotators were assigned at random'),
    models: z
      .array(
        z.object({
          id: z.string().describe('of the model'),
          name: z.string().describe('of the model'),
          reason: z.string().describe('policy, named by the owner, or replacement of one that failed'),
          since: z.iso.datetime().describe('when it came into the loop'),
          until: z.iso.datetime().nullable().describe('when it left'),
          left: z.string().nullable().describe('why it left'),
          mer: Rate.describe('fooled ÷ submitted, of examples written against it first'),
        }),
      )
      .describe('target models'),
    consent: z
      .object({
        version: z.string().nullable().describe('that the task asks for; null: none'),
        text: z.string().nullable().describe('Markdown'),
        agreed: Agreed,
        contentWarning: z.string().nullable().describe('that people read before'),
        minimumAge: z.int().nullable().describe('that people said they have'),
      })
      .describe('what people agreed to'),
    licence: z
      .object({
        name: z.string().nullable().describe('such as CC-BY-4.0; null: the task names none'),
        version: z.string().nullable().describe('that the task asks for'),
        text: z.string().nullable().describe('Markdown'),
        agreed: Agreed,
      })
      .describe('under which they contributed'),
    limits: z.array(z.string()).describe('what to keep in mind, as sentences'),
    citation: z.string().describe('how to cite it: BibTeX'),
    pay: z
      .array(RoundCost)
      .optional()
      .describe('pay of crowd workers by currency, for the owner of the task only; absent: nobody was paid'),
  })
  .meta({ id: 'DataCard', description: 'what is to be known of the data of a closed round' });
export type DataCard = z.infer<typeof DataCard>;
