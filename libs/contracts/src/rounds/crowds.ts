import { z } from 'zod';
import { GivenLabel } from '../annotating/annotating.js';
import { namedObject, namedStrictObject } from '../named-object.js';
import { FieldName } from '../text/quantity.js';

export const CROWD_PLATFORMS = ['mturk', 'prolific'] as const;
export type CrowdPlatform = (typeof CROWD_PLATFORMS)[number];

const HOST = String.raw`(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?`;
const LOOPBACK = String.raw`(?:localhost|127\.0\.0\.1)(?::\d{1,5})?`;
/**
 * A host source of Content Security Policy (CSP 3, 2.3.1). The syntax allows nothing that could end
 * a directive.
 */
const Origin = z
  .string()
  .max(200)
  .regex(
    new RegExp(`^(?:https://${HOST}|http://${LOOPBACK})$`),
    'must be an origin, such as https://host or https://*.host; http is allowed only for localhost',
  );
const ExactOrigin = Origin.refine((origin) => !origin.includes('*'), { error: 'must be a single host, without *' });

const OnboardingQuestion = z.strictObject({
  input: z.record(FieldName, z.unknown()).describe("the task's inputs, by name"),
  label: GivenLabel.describe('what is right; never shown'),
});

/** A qualification test for crowd workers. Owners write it; workers see only the inputs. */
export const Onboarding = z
  .strictObject({
    questions: z.array(OnboardingQuestion).min(1).max(50),
    pass: z.number().gt(0).max(1).default(0.8).describe('share that must be right'),
    attempts: z.int().min(1).max(10).default(2).describe('how often a worker may try'),
  })
  .meta({ id: 'Onboarding', description: 'a test before the first example' });
export type Onboarding = z.infer<typeof Onboarding>;

export const CrowdPay = namedStrictObject('CrowdPay', {
  amount: z.number().positive().max(10_000).describe('for a whole job'),
  currency: z
    .string()
    .regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD')
    .describe('ISO 4217'),
  minutes: z.number().positive().max(1_440).describe('time that a job takes, as you reckon'),
});
export type CrowdPay = z.infer<typeof CrowdPay>;

export const MakeCrowdLink = z
  .strictObject({
    platform: z.enum(CROWD_PLATFORMS),
    examples: z.int().min(1).max(1_000).describe('that make a job'),
    pay: CrowdPay,
    onboarding: Onboarding.optional(),
    completionCode: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .optional()
      .describe('of the study; for Prolific'),
    frameAncestors: z
      .array(Origin)
      .max(20)
      .optional()
      .describe('pages that may show it in a frame; default: those of Mechanical Turk, none for Prolific'),
    submitTo: z
      .array(ExactOrigin)
      .min(1)
      .max(20)
      .optional()
      .describe('for Mechanical Turk: where finished work may be sent; default: its own and its sandbox'),
    expiresAt: z.iso.datetime({ offset: true }).describe('workers cannot start after it'),
  })
  .refine(({ platform, completionCode }) => platform !== 'prolific' || completionCode !== undefined, {
    error: 'is required for Prolific',
    path: ['completionCode'],
  })
  .refine(({ platform, submitTo }) => platform === 'mturk' || submitTo === undefined, {
    error: 'is allowed only for Mechanical Turk',
    path: ['submitTo'],
  })
  .meta({ id: 'MakeCrowdLink' });
export type MakeCrowdLink = z.infer<typeof MakeCrowdLink>;

export const CROWD_SESSION_STATES = ['onboarding', 'working', 'failed', 'ended', 'finished'] as const;
export type CrowdSessionState = (typeof CROWD_SESSION_STATES)[number];

const HourlyRate = z
  .number()
  .nullable()
  .describe('median of what was paid by the hour of finished sessions; null: none is finished');

export const CrowdLinkView = namedObject('CrowdLink', {
  id: z.string().describe('of the link'),
  url: z.url().describe('signed: what workers open, with what the platform appends'),
  platform: z.enum(CROWD_PLATFORMS).describe('where workers come from'),
  examples: z.int().describe('that make a job'),
  pay: CrowdPay.describe('of a job'),
  onboarding: Onboarding.nullable().describe('test before the first example; null: none'),
  completionCode: z.string().nullable().describe('of the study, for Prolific'),
  frameAncestors: z.array(z.string()).describe('pages that may show it in a frame'),
  submitTo: z.array(z.string()).describe('where finished work may be sent'),
  expiresAt: z.iso.datetime().describe('workers cannot start after it'),
  closedAt: z.iso.datetime().nullable().describe('workers cannot start since then; null: it is open'),
  createdAt: z.iso.datetime().describe('when it was made'),
  sessions: z.record(z.enum(CROWD_SESSION_STATES), z.int()).describe('how many, by state'),
  workers: z.int().describe('different people'),
  paid: z.number().describe('due to workers of finished sessions, in the currency of the pay'),
  medianHourlyRate: HourlyRate,
});
export type CrowdLinkView = z.infer<typeof CrowdLinkView>;

const earned = {
  examples: z.int().describe('written in it, without retracted ones'),
  minutes: z.number().describe('from its first moment to its last'),
  pay: z.number().nullable().describe('what is due; null: it is not finished'),
};

/** A crowd session, for the owner of the task only: no other response contains worker ids. */
export const CrowdSessionRow = namedObject('CrowdSessionRow', {
  id: z.string().describe('of the session'),
  worker: z.string().describe("the platform's id of the worker"),
  assignment: z.string().describe("the platform's id of the assignment, or session"),
  hit: z.string().nullable().describe("the platform's id of the HIT, or study"),
  state: z.enum(CROWD_SESSION_STATES).describe('where it is'),
  early: z.boolean().describe('left before all examples were written'),
  ...earned,
  hourlyRate: z.number().nullable().describe('pay by the hour; null: it is not finished'),
  code: z.string().nullable().describe('what the worker was given as a proof; null: nothing yet'),
  startedAt: z.iso.datetime().describe('when it was started'),
  finishedAt: z.iso.datetime().nullable().describe('when it was finished'),
});
export type CrowdSessionRow = z.infer<typeof CrowdSessionRow>;

/**
 * The public description of a crowd job for anyone with the link. Contains no session and no
 * example.
 */
export const CrowdOffer = namedObject('CrowdOffer', {
  platform: z.enum(CROWD_PLATFORMS).describe('where workers come from'),
  task: z
    .object({
      slug: z.string().describe('in addresses'),
      name: z.string().describe('for people'),
      description: z.string().describe('Markdown'),
      language: z.string().describe('of the texts'),
      instructions: z.string().describe('Markdown'),
      contentWarning: z.string().nullable().describe('what workers may come to see'),
      inputs: z.array(z.string()).describe('names of the inputs'),
      answer: z
        .enum(['label', 'labels', 'span', 'text', 'number'])
        .describe('what an answer is: one label, several, words of the input, a text, or a number'),
      labels: z.array(z.string()).nullable().describe('to choose from; null: the answer is written'),
    })
    .describe('what is to be done'),
  round: z.int().describe('number of the round'),
  examples: z.int().describe('that make a job'),
  pay: CrowdPay.describe('of a job'),
  hourlyRate: z.number().describe('of a job that takes as long as reckoned'),
  hasTest: z.boolean().describe('a test comes first'),
});
export type CrowdOffer = z.infer<typeof CrowdOffer>;

const PlatformId = z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 letters, digits, _ or -');

/**
 * The parameters that Mechanical Turk or Prolific appends to the link, and a secret. The secret is
 * needed because others know the platform's ids too.
 */
export const StartCrowdSession = namedStrictObject('StartCrowdSession', {
  link: z.string().min(1).max(2_000).describe('the signed part of the address'),
  secret: z
    .string()
    .regex(/^[\w-]{32,100}$/, 'must be 32 to 100 letters, digits, _ or -')
    .describe('random, made by the browser that starts the assignment; needed to continue it'),
  assignmentId: PlatformId.optional().describe('Mechanical Turk'),
  hitId: PlatformId.optional().describe('Mechanical Turk'),
  workerId: PlatformId.optional().describe('Mechanical Turk'),
  turkSubmitTo: z.string().max(500).optional().describe('Mechanical Turk'),
  PROLIFIC_PID: PlatformId.optional().describe('Prolific: the worker'),
  STUDY_ID: PlatformId.optional().describe('Prolific'),
  SESSION_ID: PlatformId.optional().describe('Prolific: the assignment'),
});
export type StartCrowdSession = z.infer<typeof StartCrowdSession>;

const CrowdSubmission = z
  .union([
    z.object({
      method: z.literal('POST').describe('a form'),
      url: z.url().describe('where the form is sent'),
      fields: z.record(z.string(), z.string()).describe('of the form'),
    }),
    z.object({
      method: z.literal('GET').describe('a link'),
      url: z.url().describe('to follow'),
    }),
  ])
  .meta({ id: 'CrowdSubmission', description: 'how finished work is handed to the platform' });

export const CrowdSessionView = namedObject('CrowdSession', {
  state: z
    .enum(CROWD_SESSION_STATES)
    .describe(
      'onboarding: the test comes first; failed: the test was not passed; ended: another job was started meanwhile, and what was written until then can be paid',
    ),
  task: z.string().describe('name of the task in addresses'),
  round: z.int().describe('number of the round'),
  examples: z.object({
    done: z.int().describe('written in this session'),
    of: z.int().describe('that make a job'),
  }),
  pay: CrowdPay.describe('of the whole job'),
  earned: z.number().describe('what would be paid now'),
  onboarding: z
    .object({
      questions: z.array(z.record(z.string(), z.unknown())).describe("the task's inputs, by name, of each question"),
      attemptsLeft: z.int().describe('how often you may still try'),
      pass: z.number().describe('share that must be right'),
    })
    .nullable()
    .describe('the test, while it is to be passed'),
  finished: z
    .object({
      early: z.boolean().describe('left before all examples were written'),
      paid: z.number().describe('what is due, in the currency of the pay'),
      code: z.string().describe('proof of it: the completion code of Prolific, else one of its own'),
      submission: CrowdSubmission,
    })
    .nullable()
    .describe('null: it is not finished'),
});
export type CrowdSessionView = z.infer<typeof CrowdSessionView>;

export const CrowdSessionStarted = namedObject('CrowdSessionStarted', {
  token: z.string().describe('for this session alone; kept in memory, gone after a few hours'),
  expiresAt: z.iso.datetime().describe('of the token; start again to go on'),
  session: CrowdSessionView,
});
export type CrowdSessionStarted = z.infer<typeof CrowdSessionStarted>;

export const AnswerOnboarding = namedStrictObject('AnswerOnboarding', {
  answers: z.array(GivenLabel).min(1).max(50).describe('a label for each question'),
});
export type AnswerOnboarding = z.infer<typeof AnswerOnboarding>;

export const FinishCrowdSession = namedStrictObject('FinishCrowdSession', {
  early: z.boolean().default(false).describe('leave before all is written, and be paid for what is'),
});
export type FinishCrowdSession = z.infer<typeof FinishCrowdSession>;
