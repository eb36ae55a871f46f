import { z } from 'zod';
import { GivenLabel } from '../annotating/annotating.js';
import { ANNOTATION_OUTCOMES, ExtraField, VERDICTS } from './collection.js';
import { namedObject } from '../named-object.js';
import { FieldName } from '../text/quantity.js';
import { TaskOutput } from '../tasks/task.js';

const Fields = z.record(FieldName, z.unknown());
const reason = z.string().trim().min(1).max(1000).optional().describe('why it is flagged');
const extra = Fields.optional().describe("the task's own questions, by name");
const modelWrong = z
  .boolean()
  .optional()
  .describe('where the task asks people whether a model is wrong: whether the answer that you were shown is');

/** A validator's first, blind answer. It may include the verdict if no second answer is needed. */
export const AnswerItem = z
  .strictObject({
    label: GivenLabel.optional().describe('what you hold for right; only what is flagged needs none'),
    verdict: z
      .enum(['correct', 'flagged'])
      .optional()
      .describe("correct: counts at once where your label is the author's; flagged: with a reason, at any time"),
    reason,
    extra,
  })
  .refine(({ label, verdict }) => label !== undefined || verdict === 'flagged', {
    error: 'is required, except with the verdict flagged',
    path: ['label'],
  })
  .meta({ id: 'AnswerItem' });
export type AnswerItem = z.infer<typeof AnswerItem>;

/** A validator's second answer, after seeing the author's label. */
export const GiveVerdict = z
  .strictObject({
    verdict: z
      .enum(VERDICTS)
      .describe("correct: the author's label is right; incorrect: another one is; flagged: it should not be here"),
    label: GivenLabel.optional().describe('the right label, with incorrect'),
    reason,
    extra,
    modelWrong,
  })
  .refine(({ verdict, label }) => verdict === 'incorrect' || label === undefined, {
    error: 'is allowed only with the verdict incorrect',
    path: ['label'],
  })
  .meta({ id: 'GiveVerdict' });
export type GiveVerdict = z.infer<typeof GiveVerdict>;

/** A decision that an owner makes without validators. */
export const DecideAlone = z
  .strictObject({
    outcome: z.enum(['validated', 'rejected', 'flagged']).describe('what becomes of the example'),
    label: GivenLabel.optional().describe("with validated: the right label; default: its author's"),
    reason: z.string().trim().min(1).max(1000).describe('kept with the decision'),
  })
  .refine(({ outcome, label }) => outcome === 'validated' || label === undefined, {
    error: 'is allowed only with the outcome validated',
    path: ['label'],
  })
  .meta({ id: 'DecideAlone' });
export type DecideAlone = z.infer<typeof DecideAlone>;

const Outcome = z.enum(ANNOTATION_OUTCOMES).describe('what has become of the example');
const LabelList = z.array(z.string());

/** A validator's answers on an example so far, and what they may now see of it. */
export const ValidationView = namedObject('Validation', {
  id: z.string().describe('of the validation'),
  annotation: z.string().describe('id of the example'),
  label: LabelList.nullable().describe('as you labelled it; null: you flagged it without'),
  agrees: z.boolean().nullable().describe("whether your label is the author's"),
  author: z
    .object({
      label: LabelList.describe('every acceptable answer, as the author says'),
      explanations: z
        .object({
          example: z.string().optional().describe('why the label is right'),
          model: z.string().optional().describe('why a model was, or might have been, fooled'),
        })
        .describe('where the author gave them'),
      answers: z
        .array(z.string())
        .optional()
        .describe('of models, where the task asks people whether they are wrong: say it in modelWrong'),
    })
    .describe('shown once you have answered'),
  verdict: z.enum(VERDICTS).nullable().describe('null: yet to be given'),
  rightLabel: LabelList.nullable().describe('what is right, where you say that the author is not'),
  reason: z.string().nullable().describe('of a flag'),
  modelWrong: z.boolean().nullable().describe('whether the answer of the models is wrong, where you said'),
  extra: Fields.describe("your answers to the task's own questions"),
  outcome: Outcome,
});
export type ValidationView = z.infer<typeof ValidationView>;

/**
 * An example to validate. Omits its author, the target models, and the label that the author gave.
 */
export const ValidationItem = namedObject('ValidationItem', {
  id: z.string().describe('of the example: answer at /annotations/{id}/validations'),
  round: z.int().describe('number of the round'),
  input: Fields.describe('all inputs, by name'),
  output: TaskOutput.describe('the form of the answer'),
  choices: LabelList.nullable().describe('of a multiple choice: one of these is the answer'),
  instructions: z.string().describe('for validators; Markdown'),
  contentWarning: z.string().nullable().describe('what people may come to see'),
  fields: z.array(ExtraField).describe('asked together with the verdict'),
  until: z.iso.datetime().describe('until then your place is kept; after that it may go to another'),
  validation: ValidationView.nullable().describe(
    'where you have labelled it already: give the verdict now; null: label it',
  ),
});
export type ValidationItem = z.infer<typeof ValidationItem>;

/** The decision on an example. */
export const DecisionView = namedObject('Decision', {
  annotation: z.string().describe('id of the example'),
  outcome: Outcome,
  label: LabelList.describe('what counts as right now'),
  fooled: z.boolean().nullable().describe('whether it fooled the models, by the label that counts now'),
  decidedByOwner: z.boolean().describe('an owner decided alone'),
  decidedAt: z.iso.datetime().nullable().describe('when'),
});
export type DecisionView = z.infer<typeof DecisionView>;

/** A validator's statistics for the owner of the task. */
export const ValidatorView = namedObject('Validator', {
  pseudonym: z.string().describe('the same for a person throughout the task'),
  handedOut: z.int().describe('examples that they were given, checks among them'),
  answered: z.int().describe('verdicts that they gave, checks among them'),
  decided: z.int().describe('of those, examples on which validators have agreed since'),
  agreement: z
    .number()
    .nullable()
    .describe('share of those in which they said what was agreed on; null: there is none'),
  checks: z.int().describe('checked examples of yours that they labelled'),
  checkRate: z.number().nullable().describe('share of those that they labelled right; null: none'),
  nonFooling: z
    .number()
    .nullable()
    .describe('share of non-fooling examples among those given to them, without gold checks'),
  medianSeconds: z.number().nullable().describe('from an example handed out to its verdict'),
});
export type ValidatorView = z.infer<typeof ValidatorView>;

export const ValidatorList = namedObject('ValidatorList', {
  items: z.array(ValidatorView).describe('by number of answers, the most first'),
  nextCursor: z.string().optional().describe('cursor of the next page; absent on the last'),
});
export type ValidatorList = z.infer<typeof ValidatorList>;
