import { z } from 'zod';
import { namedStrictObject } from '../named-object.js';
import { shownName, shownSentence, ShownText } from '../text/shown-name.js';
import { FieldName } from '../text/quantity.js';

/**
 * The rule that decides whether an annotation fooled a model. `ask`: the annotator decides, and
 * validators confirm or correct it.
 */
export const FooledRule = z
  .union([
    z.enum(['label-differs', 'ask']),
    z.strictObject({ 'f1-below': z.number().gt(0).max(1) }),
    z.strictObject({ 'uncertain-below': z.number().gt(0).max(1) }),
  ])
  .meta({
    id: 'FooledRule',
    description:
      'label-differs: the answer is another than the label; f1-below: its word F1 with the answer is below; uncertain-below: the most probable label is less probable; ask: the author says so',
  });
export type FooledRule = z.infer<typeof FooledRule>;

/** A question of this task, in addition to the standard ones. */
export const ExtraField = z
  .strictObject({
    name: FieldName,
    label: shownSentence(300).describe('what people read'),
    type: z.enum(['text', 'choice', 'number', 'boolean']),
    choices: z.array(ShownText.max(200)).min(2).max(50).optional().describe('of a choice'),
    required: z.boolean().default(false),
  })
  .refine((field) => (field.type === 'choice') === (field.choices !== undefined), {
    error: 'choices are required for the type choice, and not allowed for other types',
    path: ['choices'],
  })
  .meta({ id: 'ExtraField' });
export type ExtraField = z.infer<typeof ExtraField>;

const Check = z.enum(['off', 'warn', 'block']);

/** The conditions that close a round automatically. The first one that is met applies. */
export const TurningRule = namedStrictObject('TurningRule', {
  examples: z.int().positive().optional().describe('examples written, retracted ones left out'),
  validated: z.int().positive().optional().describe('examples that validators found correct'),
  closesAt: z.iso.datetime({ offset: true }).optional().describe('a time'),
  saturation: z
    .number()
    .gt(0)
    .max(1)
    .optional()
    .describe(
      "the round's examples that fooled its loop no longer fool: what the lower bound of a newly ranked, unrelated model of another owner reaches on them",
    ),
  pending: z
    .enum(['leave', 'await'])
    .optional()
    .describe(
      'what is not validated when it closes: left out, or awaited; default: await for examples and closesAt, leave for the others',
    ),
  validationDays: z
    .int()
    .positive()
    .max(365)
    .optional()
    .describe('days for which a closing round waits for open validations, if the task says so; default 7'),
});
export type TurningRule = z.infer<typeof TurningRule>;

/** Shares of the contexts of a closed round by split. No context is in two splits. */
export const SplitShares = z
  .strictObject({
    train: z.number().min(0).max(1).default(0.8),
    dev: z.number().min(0).max(1).default(0.1),
    test: z.number().min(0).max(1).default(0.1),
  })
  .refine(({ train, dev, test }) => Math.abs(train + dev + test - 1) < 1e-9, { error: 'the shares must sum to 1' })
  .meta({ id: 'SplitShares' });
export type SplitShares = z.infer<typeof SplitShares>;

/** A text that people agree to, by version. A new version requires new agreement. */
const Agreement = z.strictObject({
  version: z.string().min(1).max(40),
  text: z.string().min(1).max(50_000).describe('Markdown'),
});

/** The settings for collecting examples from people against the target models. */
export const Collection = namedStrictObject('Collection', {
  fooled: FooledRule.optional().describe('default: label-differs; for a span {f1-below: 0.4}; for a text ask'),
  validations: z.int().positive().max(15).default(3).describe('that must agree'),
  mostValidations: z.int().positive().max(25).default(5).describe('after which an example is undecided'),
  explanations: z
    .array(z.enum(['example', 'model']))
    .default([])
    .describe('asked for: why the label is right; why the model was, or might have been, fooled'),
  prompt: z
    .enum(['optional', 'required', 'none'])
    .default('none')
    .describe('whether the input is written by editing a text of the context'),
  instructions: z.string().max(50_000).default('').describe('for annotators; Markdown'),
  validationInstructions: z.string().max(50_000).default('').describe('for validators; Markdown'),
  contentWarning: z
    .string()
    .min(1)
    .max(5_000)
    .optional()
    .describe('what people may come to see; such a task celebrates nothing'),
  minimumAge: z.int().min(13).max(99).optional().describe('in years; default 18 with a content warning'),
  exposurePerDay: z
    .int()
    .positive()
    .optional()
    .describe('examples that a person sees or writes in a day; default 200 with a content warning'),
  examplesPerDay: z.int().positive().default(500).describe('that a person may write in a day of UTC'),
  contexts: z
    .enum(['fewest', 'uniform', 'least-fooled', 'tag'])
    .default('fewest')
    .describe('which context comes next; tag: the tags in turn'),
  examplesPerContext: z
    .int()
    .positive()
    .optional()
    .describe('examples of a context after which it is given out no more; default: no bound'),
  goal: z.enum(['chosen', 'shown']).default('chosen').describe('who chooses the label to write for'),
  written: z
    .array(FieldName)
    .min(1)
    .optional()
    .describe('inputs that people write; the others are the context; default: the last text input'),
  facing: z
    .enum(['one', 'any', 'all', 'majority'])
    .default('one')
    .describe(
      'with several target models: each context is assigned one at random, or all of them; then the example fools if any, all or most of them are fooled',
    ),
  fields: z.array(ExtraField).max(20).default([]).describe('questions to annotators'),
  validationFields: z.array(ExtraField).max(20).default([]).describe('questions to validators'),
  length: z
    .strictObject({ shortest: z.int().min(1).default(1), longest: z.int().positive().max(100_000).default(5_000) })
    .prefault({})
    .describe('of a text that people write, in characters'),
  checks: z
    .strictObject({
      duplicate: Check.default('warn'),
      copy: Check.default('warn'),
      language: Check.default('warn'),
      length: Check.default('warn'),
    })
    .prefault({})
    .describe('checks before an example is sent: findings are shown, or the example is refused'),
  distractors: z
    .int()
    .min(1)
    .max(9)
    .optional()
    .describe('of a text output: hard negatives beside the answer in a multiple choice'),
  nonFooling: z
    .number()
    .min(0)
    .max(1)
    .default(0.3)
    .describe('minimum share of non-fooling examples among those that are validated'),
  sameAuthor: z.int().positive().default(50).describe('examples of one author that one validator sees in a round'),
  consent: Agreement.optional().describe('what people agree to before their first example'),
  licence: z
    .strictObject({ ...Agreement.shape, name: shownName(100).describe('such as CC-BY-4.0') })
    .optional()
    .describe('under which they contribute'),
  shares: SplitShares.prefault({}).describe('of the datasets that a closed round becomes'),
  turn: TurningRule.prefault({}).describe('what closes a round, unless the round says otherwise'),
  next: z
    .enum(['none', 'open'])
    .default('none')
    .describe('whether the next round opens by itself, with the models that the policy names then'),
  boardMinimum: z.int().positive().default(20).describe('examples from which an annotator is on the board'),
});
export type Collection = z.infer<typeof Collection>;

/** The collection settings of a task that specifies none. */
export const DEFAULT_COLLECTION: Collection = Collection.parse({});

/** An experimental arm of a round: what its participants are shown. */
export const RoundCondition = namedStrictObject('RoundCondition', {
  name: z
    .string()
    .regex(
      /^[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?$/,
      'must be 1 to 40 lowercase letters, digits or hyphens, and not start or end with a hyphen',
    ),
  prompt: z.boolean().default(true).describe('whether a prompt is shown'),
  model: z.boolean().default(true).describe('false: the control arm, which sees no model'),
  share: z.number().positive().default(1).describe('weight in the draw'),
});
export type RoundCondition = z.infer<typeof RoundCondition>;

/** The settings that an owner chooses when opening a round. */
export const OpenRound = namedStrictObject('OpenRound', {
  number: z.int().positive().optional().describe('default: the one after the newest'),
  description: z.string().max(20_000).default('').describe('Markdown'),
  turn: TurningRule.optional().describe("replaces the task's"),
  models: z
    .array(z.uuid())
    .min(1)
    .max(32)
    .optional()
    .describe('IDs of the target models; default: those of the policy'),
  conditions: z
    .array(RoundCondition)
    .max(10)
    .default([])
    .refine((conditions) => new Set(conditions.map(({ name }) => name)).size === conditions.length, {
      error: 'two conditions have the same name',
    })
    .describe('arms, to which annotators are assigned at random'),
  shares: SplitShares.optional().describe("replaces the task's"),
});
export type OpenRound = z.infer<typeof OpenRound>;

/**
 * The states of a round. `closing`: no new examples are accepted, and the closing steps are
 * running.
 */
export const ROUND_STATES = ['open', 'closing', 'closed'] as const;
export type RoundState = (typeof ROUND_STATES)[number];

/**
 * The steps after a round closes, in order. Each step is done once; after a crash, the interrupted
 * step is resumed.
 */
export const CLOSING_STEPS = ['settle', 'freeze', 'evaluate', 'promote', 'next'] as const;
export type ClosingStep = (typeof CLOSING_STEPS)[number];

/** A target model's answer to what a person wrote, as stored with the annotation. */
export interface LiveAnswer {
  readonly model: string;
  /** Id of the run specification that answered. */
  readonly specification: string;
  /** In the normalised form that is stored and scored: see `Answer`. */
  readonly answer: string;
  /** One per label of the task, in the task's order. */
  readonly probabilities?: readonly number[];
  /** The model's own response time. */
  readonly milliseconds: number;
  /** Time of the answer (ISO 8601). */
  readonly at: string;
}

/** A finding of an automatic check. */
export interface CheckFinding {
  readonly check: 'duplicate' | 'copy' | 'language' | 'length';
  readonly blocking: boolean;
  readonly message: string;
}

/**
 * The outcomes of an annotation. `pending`: too few validators agree so far; `undecided`: the
 * largest number of validations is reached without agreement.
 */
export const ANNOTATION_OUTCOMES = ['pending', 'validated', 'rejected', 'flagged', 'undecided'] as const;
export type AnnotationOutcome = (typeof ANNOTATION_OUTCOMES)[number];

export const VERDICTS = ['correct', 'incorrect', 'flagged'] as const;
export type Verdict = (typeof VERDICTS)[number];
