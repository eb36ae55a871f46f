import { z } from 'zod';
import { GivenLabel } from '../annotating/annotating.js';
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
  input: z.record(FieldName, z.unknown()).meta({ description: "the task's inputs, by name" }),
  label: GivenLabel.meta({ description: 'what is right; never shown' }),
});

/** A qualification test for crowd workers. Owners write it; workers see only the inputs. */
export const Onboarding = z
  .strictObject({
    questions: z.array(OnboardingQuestion).min(1).max(50),
    pass: z.number().gt(0).max(1).default(0.8).meta({ description: 'share that must be right' }),
    attempts: z.int().min(1).max(10).default(2).meta({ description: 'how often a worker may try' }),
  })
  .meta({ id: 'Onboarding', description: 'a test before the first example' });
export type Onboarding = z.infer<typeof Onboarding>;

export const CrowdPay = z
  .strictObject({
    amount: z.number().positive().max(10_000).meta({ description: 'for a whole job' }),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'must be three capital letters, such as USD')
      .meta({ description: 'ISO 4217' }),
    minutes: z.number().positive().max(1_440).meta({ description: 'time that a job takes, as you reckon' }),
  })
  .meta({ id: 'CrowdPay' });
export type CrowdPay = z.infer<typeof CrowdPay>;

export const MakeCrowdLink = z
  .strictObject({
    platform: z.enum(CROWD_PLATFORMS),
    examples: z.int().min(1).max(1_000).meta({ description: 'that make a job' }),
    pay: CrowdPay,
    onboarding: Onboarding.optional(),
    completionCode: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')
      .optional()
      .meta({ description: 'of the study; for Prolific' }),
    frameAncestors: z.array(Origin).max(20).optional().meta({
      description: 'pages that may show it in a frame; default: those of Mechanical Turk, none for Prolific',
    }),
    submitTo: z.array(ExactOrigin).min(1).max(20).optional().meta({
      description: 'for Mechanical Turk: where finished work may be sent; default: its own and its sandbox',
    }),
    expiresAt: z.iso.datetime({ offset: true }).meta({ description: 'workers cannot start after it' }),
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
  .meta({ description: 'median of what was paid by the hour of finished sessions; null: none is finished' });

export const CrowdLinkView = z
  .object({
    id: z.string().meta({ description: 'of the link' }),
    url: z.url().meta({ description: 'signed: what workers open, with what the platform appends' }),
    platform: z.enum(CROWD_PLATFORMS).meta({ description: 'where workers come from' }),
    examples: z.int().meta({ description: 'that make a job' }),
    pay: CrowdPay.meta({ description: 'of a job' }),
    onboarding: Onboarding.nullable().meta({ description: 'test before the first example; null: none' }),
    completionCode: z.string().nullable().meta({ description: 'of the study, for Prolific' }),
    frameAncestors: z.array(z.string()).meta({ description: 'pages that may show it in a frame' }),
    submitTo: z.array(z.string()).meta({ description: 'where finished work may be sent' }),
    expiresAt: z.iso.datetime().meta({ description: 'workers cannot start after it' }),
    closedAt: z.iso.datetime().nullable().meta({ description: 'workers cannot start since then; null: it is open' }),
    createdAt: z.iso.datetime().meta({ description: 'when it was made' }),
    sessions: z.record(z.enum(CROWD_SESSION_STATES), z.int()).meta({ description: 'how many, by state' }),
    workers: z.int().meta({ description: 'different people' }),
    paid: z.number().meta({ description: 'due to workers of finished sessions, in the currency of the pay' }),
    medianHourlyRate: HourlyRate,
  })
  .meta({ id: 'CrowdLink' });
export type CrowdLinkView = z.infer<typeof CrowdLinkView>;

const earned = {
  examples: z.int().meta({ description: 'written in it, those taken back left out' }),
  minutes: z.number().meta({ description: 'from its first moment to its last' }),
  pay: z.number().nullable().meta({ description: 'what is due; null: it is not finished' }),
};

/** A crowd session, for the owner of the task only: no other response contains worker ids. */
export const CrowdSessionRow = z
  .object({
    id: z.string().meta({ description: 'of the session' }),
    worker: z.string().meta({ description: "the platform's id of the worker" }),
    assignment: z.string().meta({ description: "the platform's id of the assignment, or session" }),
    hit: z.string().nullable().meta({ description: "the platform's id of the HIT, or study" }),
    state: z.enum(CROWD_SESSION_STATES).meta({ description: 'where it is' }),
    early: z.boolean().meta({ description: 'left before all examples were written' }),
    ...earned,
    hourlyRate: z.number().nullable().meta({ description: 'pay by the hour; null: it is not finished' }),
    code: z.string().nullable().meta({ description: 'what the worker was given as a proof; null: nothing yet' }),
    startedAt: z.iso.datetime().meta({ description: 'when it was started' }),
    finishedAt: z.iso.datetime().nullable().meta({ description: 'when it was finished' }),
  })
  .meta({ id: 'CrowdSessionRow' });
export type CrowdSessionRow = z.infer<typeof CrowdSessionRow>;

/**
 * The public description of a crowd job for anyone with the link. Contains no session and no
 * example.
 */
export const CrowdOffer = z
  .object({
    platform: z.enum(CROWD_PLATFORMS).meta({ description: 'where workers come from' }),
    task: z
      .object({
        slug: z.string().meta({ description: 'in addresses' }),
        name: z.string().meta({ description: 'for people' }),
        description: z.string().meta({ description: 'Markdown' }),
        language: z.string().meta({ description: 'of the texts' }),
        instructions: z.string().meta({ description: 'Markdown' }),
        contentWarning: z.string().nullable().meta({ description: 'what workers may come to see' }),
        inputs: z.array(z.string()).meta({ description: 'names of the inputs' }),
        answer: z
          .enum(['label', 'labels', 'span', 'text', 'number'])
          .meta({ description: 'what an answer is: one label, several, words of the input, a text, or a number' }),
        labels: z.array(z.string()).nullable().meta({ description: 'to choose from; null: the answer is written' }),
      })
      .meta({ description: 'what is to be done' }),
    round: z.int().meta({ description: 'number of the round' }),
    examples: z.int().meta({ description: 'that make a job' }),
    pay: CrowdPay.meta({ description: 'of a job' }),
    hourlyRate: z.number().meta({ description: 'of a job that takes as long as reckoned' }),
    hasTest: z.boolean().meta({ description: 'a test comes first' }),
  })
  .meta({ id: 'CrowdOffer' });
export type CrowdOffer = z.infer<typeof CrowdOffer>;

const PlatformId = z.string().regex(/^[\w-]{1,100}$/, 'must be 1 to 100 letters, digits, _ or -');

/**
 * The parameters that Mechanical Turk or Prolific appends to the link, and a secret. The secret is
 * needed because others know the platform's ids too.
 */
export const StartCrowdSession = z
  .strictObject({
    link: z.string().min(1).max(2_000).meta({ description: 'the signed part of the address' }),
    secret: z
      .string()
      .regex(/^[\w-]{32,100}$/, 'must be 32 to 100 letters, digits, _ or -')
      .meta({ description: 'random, made by the browser that starts the assignment; needed to continue it' }),
    assignmentId: PlatformId.optional().meta({ description: 'Mechanical Turk' }),
    hitId: PlatformId.optional().meta({ description: 'Mechanical Turk' }),
    workerId: PlatformId.optional().meta({ description: 'Mechanical Turk' }),
    turkSubmitTo: z.string().max(500).optional().meta({ description: 'Mechanical Turk' }),
    PROLIFIC_PID: PlatformId.optional().meta({ description: 'Prolific: the worker' }),
    STUDY_ID: PlatformId.optional().meta({ description: 'Prolific' }),
    SESSION_ID: PlatformId.optional().meta({ description: 'Prolific: the assignment' }),
  })
  .meta({ id: 'StartCrowdSession' });
export type StartCrowdSession = z.infer<typeof StartCrowdSession>;

const CrowdSubmission = z
  .union([
    z.object({
      method: z.literal('POST').meta({ description: 'a form' }),
      url: z.url().meta({ description: 'where the form is sent' }),
      fields: z.record(z.string(), z.string()).meta({ description: 'of the form' }),
    }),
    z.object({
      method: z.literal('GET').meta({ description: 'a link' }),
      url: z.url().meta({ description: 'to follow' }),
    }),
  ])
  .meta({ id: 'CrowdSubmission', description: 'how finished work is handed to the platform' });

export const CrowdSessionView = z
  .object({
    state: z.enum(CROWD_SESSION_STATES).meta({
      description:
        'onboarding: the test comes first; failed: the test was not passed; ended: another job was started meanwhile, and what was written until then can be paid',
    }),
    task: z.string().meta({ description: 'name of the task in addresses' }),
    round: z.int().meta({ description: 'number of the round' }),
    examples: z.object({
      done: z.int().meta({ description: 'written in this session' }),
      of: z.int().meta({ description: 'that make a job' }),
    }),
    pay: CrowdPay.meta({ description: 'of the whole job' }),
    earned: z.number().meta({ description: 'what would be paid now' }),
    onboarding: z
      .object({
        questions: z
          .array(z.record(z.string(), z.unknown()))
          .meta({ description: "the task's inputs, by name, of each question" }),
        attemptsLeft: z.int().meta({ description: 'how often you may still try' }),
        pass: z.number().meta({ description: 'share that must be right' }),
      })
      .nullable()
      .meta({ description: 'the test, while it is to be passed' }),
    finished: z
      .object({
        early: z.boolean().meta({ description: 'left before all examples were written' }),
        paid: z.number().meta({ description: 'what is due, in the currency of the pay' }),
        code: z.string().meta({ description: 'proof of it: the completion code of Prolific, else one of its own' }),
        submission: CrowdSubmission,
      })
      .nullable()
      .meta({ description: 'null: it is not finished' }),
  })
  .meta({ id: 'CrowdSession' });
export type CrowdSessionView = z.infer<typeof CrowdSessionView>;

export const CrowdSessionStarted = z
  .object({
    token: z.string().meta({ description: 'for this session alone; kept in memory, gone after a few hours' }),
    expiresAt: z.iso.datetime().meta({ description: 'of the token; start again to go on' }),
    session: CrowdSessionView,
  })
  .meta({ id: 'CrowdSessionStarted' });
export type CrowdSessionStarted = z.infer<typeof CrowdSessionStarted>;

export const AnswerOnboarding = z
  .strictObject({ answers: z.array(GivenLabel).min(1).max(50).meta({ description: 'a label for each question' }) })
  .meta({ id: 'AnswerOnboarding' });
export type AnswerOnboarding = z.infer<typeof AnswerOnboarding>;

export const FinishCrowdSession = z
  .strictObject({
    early: z.boolean().default(false).meta({ description: 'leave before all is written, and be paid for what is' }),
  })
  .meta({ id: 'FinishCrowdSession' });
export type FinishCrowdSession = z.infer<typeof FinishCrowdSession>;
