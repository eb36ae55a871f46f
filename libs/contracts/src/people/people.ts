import { z } from 'zod';
import { shownName } from '../text/shown-name.js';
import { ANNOTATION_OUTCOMES } from '../collection/collection.js';

const agreedText = {
  version: z.string().meta({ description: 'what you send back when you agree' }),
  text: z.string().meta({ description: 'Markdown' }),
};

/** The agreements that a task requires from participants, and those that the user has given. */
export const ConsentView = z
  .object({
    task: z.string().meta({ description: "the task's short name" }),
    consent: z
      .object(agreedText)
      .nullable()
      .meta({ description: 'what people agree to; null: the task asks for none' }),
    licence: z
      .object({ ...agreedText, name: z.string().meta({ description: 'such as CC-BY-4.0' }) })
      .nullable()
      .meta({ description: 'under which they contribute; null: the task asks for none' }),
    contentWarning: z
      .string()
      .nullable()
      .meta({ description: 'what people may come to see; null: nothing of the kind' }),
    minimumAge: z.int().nullable().meta({ description: 'in years; null: none' }),
    isEnough: z.boolean().meta({ description: 'whether you may take part: you agreed to all of it as it is today' }),
    given: z
      .object({
        consentVersion: z.string().nullable().meta({ description: 'of the consent; null: none was asked for' }),
        licenceVersion: z.string().nullable().meta({ description: 'of the licence; null: none was asked for' }),
        minimumAge: z.int().nullable().meta({ description: 'the age that you said you have at least, in years' }),
        warned: z.boolean().meta({ description: 'that you have read the content warning' }),
        at: z.iso.datetime().meta({ description: 'when' }),
      })
      .nullable()
      .meta({ description: 'what you agreed to last; null: nothing yet' }),
  })
  .meta({ id: 'Consent' });
export type ConsentView = z.infer<typeof ConsentView>;

export const GiveConsent = z
  .strictObject({
    consentVersion: z.string().max(40).nullish().meta({ description: 'the version of the consent that you have read' }),
    licenceVersion: z.string().max(40).nullish().meta({ description: 'the version of the licence that you have read' }),
    age: z.literal(true).optional().meta({ description: 'you have the minimum age' }),
    warned: z.literal(true).optional().meta({ description: 'you have read the content warning' }),
  })
  .meta({ id: 'GiveConsent' });
export type GiveConsent = z.infer<typeof GiveConsent>;

/** How an annotator leaderboard shows a user. */
const BoardName = z.enum(['pseudonym', 'name', 'hidden']);
export type BoardName = z.infer<typeof BoardName>;

const ProfilePart = z.enum(['models', 'badges', 'examples']);
export type ProfilePart = z.infer<typeof ProfilePart>;

const profile = {
  displayName: shownName(60).nullable().meta({ description: 'instead of the username; null: none' }),
  bio: z.string().max(2_000).meta({ description: 'of yourself, in Markdown' }),
  board: BoardName.meta({
    description: 'on boards of annotators: under a pseudonym (default), under your name, or not at all',
  }),
  shows: z
    .array(ProfilePart)
    .max(3)
    .meta({ description: 'what anybody may see on your page beside name and bio; default: nothing' }),
};

export const ProfileView = z
  .object({ username: z.string().meta({ description: 'by which your page is found' }), ...profile })
  .meta({ id: 'Profile' });
export type ProfileView = z.infer<typeof ProfileView>;

export const ChangeProfile = z.strictObject(profile).partial().meta({ id: 'ChangeProfile' });
export type ChangeProfile = z.infer<typeof ChangeProfile>;

const EarnedBadge = z.object({
  code: z.string().meta({ description: 'stable name of the badge' }),
  name: z.string().meta({ description: 'for people' }),
  description: z.string().meta({ description: 'what it is earned by' }),
  earnedAt: z.iso.datetime().meta({ description: 'when it was earned' }),
});

export const PublicProfile = z
  .object({
    username: z.string().meta({ description: 'in addresses' }),
    displayName: z.string().nullable().meta({ description: 'the name that they chose; null: the username' }),
    bio: z.string().meta({ description: 'in Markdown' }),
    models: z
      .array(
        z.object({
          id: z.string().meta({ description: 'of the model' }),
          name: z.string().meta({ description: 'of the model' }),
          task: z.string().meta({ description: 'short name of the task' }),
        }),
      )
      .optional()
      .meta({ description: 'published models; absent where they do not show them' }),
    badges: z.array(EarnedBadge).optional().meta({ description: 'absent where they do not show them' }),
    examples: z
      .object({
        written: z.int().meta({ description: 'examples, retracted ones left out' }),
        validated: z.int().meta({ description: 'of those, found correct by others' }),
        fooling: z.int().meta({ description: 'of those, that fooled a model' }),
      })
      .optional()
      .meta({ description: 'over all tasks without a content warning; absent where they do not show them' }),
  })
  .meta({ id: 'PublicProfile' });
export type PublicProfile = z.infer<typeof PublicProfile>;

export const BadgeList = z
  .object({
    items: z.array(
      z.object({
        ...EarnedBadge.shape,
        earnedAt: z.iso.datetime().nullable().meta({ description: 'null: not yet' }),
        counts: z.string().meta({ description: 'what is counted for it' }),
        progress: z.int().meta({ description: 'how many there are of what is counted, at most as many as needed' }),
        needed: z.int().meta({ description: 'how many it takes' }),
      }),
    ),
  })
  .meta({ id: 'BadgeList' });
export type BadgeList = z.infer<typeof BadgeList>;

export const AppealRequest = z
  .strictObject({
    reason: z.string().trim().min(1).max(2_000).meta({ description: 'why the fate of your example is not right' }),
  })
  .meta({ id: 'AppealRequest' });
export type AppealRequest = z.infer<typeof AppealRequest>;

const appeal = {
  reason: z.string().meta({ description: 'why, in the words of the author' }),
  at: z.iso.datetime().meta({ description: 'when it was made' }),
  answeredAt: z.iso.datetime().nullable().meta({ description: 'when the owner decided; null: not yet' }),
};

export const AppealView = z.object(appeal).meta({ id: 'Appeal' });
export type AppealView = z.infer<typeof AppealView>;

/** The state of an example as its author sees it. */
const ExampleFate = z.enum([...ANNOTATION_OUTCOMES, 'retracted']);
export type ExampleFate = z.infer<typeof ExampleFate>;

const example = {
  id: z.string().meta({ description: 'of the annotation' }),
  task: z.string().meta({ description: 'short name of the task' }),
  round: z.int().meta({ description: 'number of the round' }),
  input: z.record(z.string(), z.unknown()).meta({ description: 'what was written, with its context' }),
  authorLabel: z.array(z.string()).meta({ description: 'the label that its author gave' }),
  label: z.array(z.string()).meta({ description: 'what counts as right now: another where validators relabelled it' }),
  fooled: z
    .boolean()
    .nullable()
    .meta({ description: 'whether it fooled the model; null: not known, or there was none' }),
  fate: ExampleFate.meta({ description: 'pending until enough validators agree' }),
  verdicts: z
    .object({
      correct: z.int().meta({ description: 'validators who agreed with the author' }),
      incorrect: z.int().meta({ description: 'validators who found another label right' }),
      flagged: z.int().meta({ description: 'validators who found something wrong with it' }),
    })
    .meta({ description: 'what validators said, without their names' }),
  reasons: z.array(z.string()).meta({ description: 'of those who flagged it, and of the owner who decided' }),
  decidedByOwner: z.boolean().meta({ description: 'true: the owner of the task decided alone' }),
  createdAt: z.iso.datetime().meta({ description: 'when it was sent' }),
  decidedAt: z.iso.datetime().nullable().meta({ description: 'when its fate was decided; null: not yet' }),
  appeal: AppealView.nullable().meta({ description: "the author's; null: none" }),
};

export const MyExamples = z
  .object({
    items: z.array(
      z.object({ ...example, mayAppeal: z.boolean().meta({ description: 'whether you can appeal, once' }) }),
    ),
    nextCursor: z.string().optional().meta({ description: 'for the next page; absent on the last' }),
  })
  .meta({ id: 'MyExamples' });
export type MyExamples = z.infer<typeof MyExamples>;

export const AppealList = z
  .object({
    items: z.array(
      z.object({
        ...example,
        appeal: AppealView,
        pseudonym: z.string().meta({ description: 'of the author: stable in the task, and nowhere else' }),
      }),
    ),
    nextCursor: z.string().optional().meta({ description: 'for the next page; absent on the last' }),
  })
  .meta({ id: 'AppealList' });
export type AppealList = z.infer<typeof AppealList>;

const ratio = (what: string) => z.number().meta({ description: `${what}, a ratio` });

export const AnnotatorBoard = z
  .object({
    task: z.string().meta({ description: 'short name of the task' }),
    round: z.int().nullable().meta({ description: 'number of the round; null: all of them' }),
    minimum: z.int().meta({ description: 'validated examples that an annotator needs to be listed' }),
    rows: z
      .array(
        z.object({
          rank: z.int().meta({ description: 'by validated model error rate, then by yield; equal ones share a rank' }),
          name: z.string().meta({ description: 'the name that they chose, or a pseudonym of this task' }),
          username: z.string().nullable().meta({ description: 'of their page; null under a pseudonym' }),
          isYou: z.boolean().meta({ description: 'whether this is you' }),
          examples: z.int().meta({ description: 'written against a model, retracted ones left out' }),
          decided: z.int().meta({ description: 'of those, whose fate is decided' }),
          validated: z.int().meta({ description: 'of those, that were found correct' }),
          fooling: z.int().meta({ description: 'of those, that fooled the model' }),
          yield: ratio('fooling ÷ decided: what is left of the effort'),
          badges: z
            .array(EarnedBadge.omit({ earnedAt: true }))
            .meta({ description: 'earned anywhere; of those who show them beside their name, and of you' }),
          vmer: z
            .object({ value: ratio('fooling ÷ validated'), low: ratio('lower bound'), high: ratio('upper bound') })
            .meta({ description: "validated model error rate, with Wilson's 95 % interval" }),
        }),
      )
      .meta({ description: 'the best first, without annotators who do not want to be shown' }),
  })
  .meta({ id: 'AnnotatorBoard' });
export type AnnotatorBoard = z.infer<typeof AnnotatorBoard>;

export const DeleteAccount = z
  .strictObject({
    text: z.enum(['keep', 'remove']).meta({
      description: 'what becomes of the texts that you wrote: kept without any link to you, or removed',
    }),
    password: z
      .string()
      .max(200)
      .optional()
      .meta({ description: 'yours; without one on the account, sign in not more than 15 minutes before' }),
  })
  .meta({ id: 'DeleteAccount' });
export type DeleteAccount = z.infer<typeof DeleteAccount>;

export const AccountDeleted = z
  .object({
    text: z.enum(['keep', 'remove']).meta({ description: 'as asked' }),
    annotations: z.int().meta({ description: 'examples that are no longer linked to you' }),
    validations: z.int().meta({ description: 'validations that are no longer linked to you' }),
    frozen: z.int().meta({
      description: 'of the examples, those that are in a dataset of a closed round: what was frozen keeps their text',
    }),
  })
  .meta({ id: 'AccountDeleted' });
export type AccountDeleted = z.infer<typeof AccountDeleted>;

const facts = (description: string) => z.record(z.string(), z.unknown()).meta({ description });
const lists = (description: string) => z.array(z.record(z.string(), z.unknown())).meta({ description });

export const PersonalExport = z
  .object({
    exportedAt: z.iso.datetime().meta({ description: 'when it was made' }),
    account: facts('name, address, role'),
    profile: facts('what you say of yourself').nullable(),
    notificationSettings: facts('which notifications you receive, if you changed it').nullable(),
    signIns: lists('tokens and sessions, without their secrets'),
    tasks: lists('tasks that you own'),
    models: lists('what you said of your models, and what became of them; their bytes are named by digest'),
    forks: lists('weights that you keep under a name'),
    snapshots: lists('boards that you froze'),
    participations: lists('rounds that you took part in, with your condition'),
    contexts: lists('contexts that were handed to you'),
    contextMarks: lists('contexts that you skipped or flagged'),
    examples: lists('what you wrote, with the answers of models, its fate and your appeal'),
    validations: lists('what you said of the examples of others, which are named by id'),
    consents: lists('each time that you agreed to what a task asks'),
    changes: lists('what you changed that others rely on, as the log of administrators has it'),
    badges: lists('by code'),
    webhooks: lists('your webhooks, without their secrets'),
    webhookDeliveries: lists('what they were sent, and how they answered'),
    notifications: lists('what you were told of'),
  })
  .meta({ id: 'PersonalExport' });
