import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';
import { shownName } from '../text/shown-name.js';
import { ANNOTATION_OUTCOMES } from '../collection/collection.js';

const agreedText = {
  version: z.string().describe('what you send back when you agree'),
  text: z.string().describe('Markdown'),
};

/** The agreements that a task requires from participants, and those that the user has given. */
export const ConsentView = namedObject('Consent', {
  task: z.string().describe("the task's short name"),
  consent: z.object(agreedText).nullable().describe('what people agree to; null: the task asks for none'),
  licence: z
    .object({ ...agreedText, name: z.string().describe('such as CC-BY-4.0') })
    .nullable()
    .describe('under which they contribute; null: the task asks for none'),
  contentWarning: z.string().nullable().describe('what people may come to see; null: nothing of the kind'),
  minimumAge: z.int().nullable().describe('in years; null: none'),
  isEnough: z.boolean().describe('whether you may take part: you agreed to all of it as it is today'),
  given: z
    .object({
      consentVersion: z.string().nullable().describe('of the consent; null: none was asked for'),
      licenceVersion: z.string().nullable().describe('of the licence; null: none was asked for'),
      minimumAge: z.int().nullable().describe('the age that you said you have at least, in years'),
      warned: z.boolean().describe('that you have read the content warning'),
      at: z.iso.datetime().describe('when'),
    })
    .nullable()
    .describe('what you agreed to last; null: nothing yet'),
});
export type ConsentView = z.infer<typeof ConsentView>;

export const GiveConsent = namedStrictObject('GiveConsent', {
  consentVersion: z.string().max(40).nullish().describe('the version of the consent that you have read'),
  licenceVersion: z.string().max(40).nullish().describe('the version of the licence that you have read'),
  age: z.literal(true).optional().describe('you have the minimum age'),
  warned: z.literal(true).optional().describe('you have read the content warning'),
});
export type GiveConsent = z.infer<typeof GiveConsent>;

/** How an annotator leaderboard shows a user. */
const BoardName = z.enum(['pseudonym', 'name', 'hidden']);
export type BoardName = z.infer<typeof BoardName>;

const ProfilePart = z.enum(['models', 'badges', 'examples']);
export type ProfilePart = z.infer<typeof ProfilePart>;

const profile = {
  displayName: shownName(60).nullable().describe('instead of the username; null: none'),
  bio: z.string().max(2_000).describe('of yourself, in Markdown'),
  board: BoardName.describe('on boards of annotators: under a pseudonym (default), under your name, or not at all'),
  shows: z
    .array(ProfilePart)
    .max(3)
    .describe('what anybody may see on your page beside name and bio; default: nothing'),
};

export const ProfileView = namedObject('Profile', {
  username: z.string().describe('by which your page is found'),
  ...profile,
});
export type ProfileView = z.infer<typeof ProfileView>;

export const ChangeProfile = z.strictObject(profile).partial().meta({ id: 'ChangeProfile' });
export type ChangeProfile = z.infer<typeof ChangeProfile>;

const EarnedBadge = z.object({
  code: z.string().describe('stable name of the badge'),
  name: z.string().describe('for people'),
  description: z.string().describe('what it is earned by'),
  earnedAt: z.iso.datetime().describe('when it was earned'),
});

export const PublicProfile = namedObject('PublicProfile', {
  username: z.string().describe('in addresses'),
  displayName: z.string().nullable().describe('the name that they chose; null: the username'),
  bio: z.string().describe('in Markdown'),
  models: z
    .array(
      z.object({
        id: z.string().describe('of the model'),
        name: z.string().describe('of the model'),
        task: z.string().describe('short name of the task'),
      }),
    )
    .optional()
    .describe('published models; absent where they do not show them'),
  badges: z.array(EarnedBadge).optional().describe('absent where they do not show them'),
  examples: z
    .object({
      written: z.int().describe('examples, retracted ones left out'),
      validated: z.int().describe('of those, found correct by others'),
      fooling: z.int().describe('of those, that fooled a model'),
    })
    .optional()
    .describe('over all tasks without a content warning; absent where they do not show them'),
});
export type PublicProfile = z.infer<typeof PublicProfile>;

export const BadgeList = namedObject('BadgeList', {
  items: z.array(
    z.object({
      ...EarnedBadge.shape,
      earnedAt: z.iso.datetime().nullable().describe('null: not yet'),
      counts: z.string().describe('what is counted for it'),
      progress: z.int().describe('how many there are of what is counted, at most as many as needed'),
      needed: z.int().describe('how many it takes'),
    }),
  ),
});
export type BadgeList = z.infer<typeof BadgeList>;

export const AppealRequest = namedStrictObject('AppealRequest', {
  reason: z.string().trim().min(1).max(2_000).describe('why the fate of your example is not right'),
});
export type AppealRequest = z.infer<typeof AppealRequest>;

const appeal = {
  reason: z.string().describe('why, in the words of the author'),
  at: z.iso.datetime().describe('when it was made'),
  answeredAt: z.iso.datetime().nullable().describe('when the owner decided; null: not yet'),
};

export const AppealView = namedObject('Appeal', appeal);
export type AppealView = z.infer<typeof AppealView>;

/** The state of an example as its author sees it. */
const ExampleFate = z.enum([...ANNOTATION_OUTCOMES, 'retracted']);
export type ExampleFate = z.infer<typeof ExampleFate>;

const example = {
  id: z.string().describe('of the annotation'),
  task: z.string().describe('short name of the task'),
  round: z.int().describe('number of the round'),
  input: z.record(z.string(), z.unknown()).describe('what was written, with its context'),
  authorLabel: z.array(z.string()).describe('the label that its author gave'),
  label: z.array(z.string()).describe('what counts as right now: another where validators relabelled it'),
  fooled: z.boolean().nullable().describe('whether it fooled the model; null: not known, or there was none'),
  fate: ExampleFate.describe('pending until enough validators agree'),
  verdicts: z
    .object({
      correct: z.int().describe('validators who agreed with the author'),
      incorrect: z.int().describe('validators who found another label right'),
      flagged: z.int().describe('validators who found something wrong with it'),
    })
    .describe('what validators said, without their names'),
  reasons: z.array(z.string()).describe('of those who flagged it, and of the owner who decided'),
  decidedByOwner: z.boolean().describe('true: the owner of the task decided alone'),
  createdAt: z.iso.datetime().describe('when it was sent'),
  decidedAt: z.iso.datetime().nullable().describe('when its fate was decided; null: not yet'),
  appeal: AppealView.nullable().describe("the author's; null: none"),
};

export const MyExamples = namedObject('MyExamples', {
  items: z.array(z.object({ ...example, mayAppeal: z.boolean().describe('whether you can appeal, once') })),
  nextCursor: z.string().optional().describe('for the next page; absent on the last'),
});
export type MyExamples = z.infer<typeof MyExamples>;

export const AppealList = namedObject('AppealList', {
  items: z.array(
    z.object({
      ...example,
      appeal: AppealView,
      pseudonym: z.string().describe('of the author: stable in the task, and nowhere else'),
    }),
  ),
  nextCursor: z.string().optional().describe('for the next page; absent on the last'),
});
export type AppealList = z.infer<typeof AppealList>;

const ratio = (what: string) => z.number().describe(`${what}, a ratio`);

const interval = {
  low: ratio('lower bound; null: fewer than five contexts').nullable(),
  high: ratio('upper bound; null: fewer than five contexts').nullable(),
};

export const AnnotatorBoard = namedObject('AnnotatorBoard', {
  task: z.string().describe('short name of the task'),
  round: z.int().nullable().describe('number of the round; null: all of them'),
  minimum: z.int().describe('validated examples that an annotator needs to be listed'),
  rows: z
    .array(
      z.object({
        rank: z.int().describe('by error rate among validated, then by yield; equal ones share a rank'),
        name: z.string().describe('the name that they chose, or a pseudonym of this task'),
        username: z.string().nullable().describe('of their page; null under a pseudonym'),
        isYou: z.boolean().describe('whether this is you'),
        examples: z.int().describe('written against a model, retracted ones left out'),
        decided: z.int().describe('of those, whose fate is decided'),
        validated: z.int().describe('of those, that were found correct'),
        fooling: z.int().describe('of those, that fooled the model'),
        yield: ratio('fooling ÷ decided: what is left of the effort'),
        badges: z
          .array(EarnedBadge.omit({ earnedAt: true }))
          .describe('earned anywhere; of those who show them beside their name, and of you'),
        vmer: z
          .object({
            value: ratio('fooling ÷ examples; a lower bound while examples are not decided'),
            ...interval,
          })
          .describe("validated model error rate, with Wilson's 95 % interval, clustered by context"),
        errorRateAmongValidated: z
          .object({ value: ratio('fooling ÷ validated'), ...interval })
          .describe("with Wilson's 95 % interval, clustered by context"),
      }),
    )
    .describe('the best first, without annotators who do not want to be shown'),
  nextCursor: z.string().optional().describe('cursor of the next page; absent on the last'),
});
export type AnnotatorBoard = z.infer<typeof AnnotatorBoard>;

export const DeleteAccount = namedStrictObject('DeleteAccount', {
  text: z
    .enum(['keep', 'remove'])
    .describe('what becomes of the texts that you wrote: kept without any link to you, or removed'),
  password: z
    .string()
    .max(200)
    .optional()
    .describe('yours; without one on the account, sign in not more than 15 minutes before'),
});
export type DeleteAccount = z.infer<typeof DeleteAccount>;

export const AccountDeleted = namedObject('AccountDeleted', {
  text: z.enum(['keep', 'remove']).describe('as asked'),
  annotations: z.int().describe('examples that are no longer linked to you'),
  validations: z.int().describe('validations that are no longer linked to you'),
  frozen: z
    .int()
    .describe('of the examples, those that are in a dataset of a closed round: what was frozen keeps their text'),
});
export type AccountDeleted = z.infer<typeof AccountDeleted>;

const facts = (description: string) => z.record(z.string(), z.unknown()).describe(description);
const lists = (description: string) => z.array(z.record(z.string(), z.unknown())).describe(description);

export const PersonalExport = namedObject('PersonalExport', {
  exportedAt: z.iso.datetime().describe('when it was made'),
  account: facts('name, address, role'),
  profile: facts('what you say of yourself').nullable(),
  notificationSettings: facts('which notifications you receive, if you changed it').nullable(),
  signIns: lists('tokens and sessions, without their secrets'),
  tasks: lists('tasks that you own'),
  submitterOf: lists('tasks whose owners listed you as a submitter'),
  models: lists('what you said of your models, and what became of them; their bytes are named by digest'),
  supplements: lists('files of predictions that you added to your models'),
  evaluators: lists('evaluators that you registered for your tasks, without their tokens'),
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
});
