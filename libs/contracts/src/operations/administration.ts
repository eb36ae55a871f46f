import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';
import { QUEUES } from '../webhooks/job.js';
import { ByteSize } from '../text/quantity.js';
import { DEPLOYMENT_STATES } from '../serving/deployment.js';

const cursor = z.string().optional().describe('for the next page; absent on the last');
const at = (description: string) => z.iso.datetime().describe(description);

export const WhichUsers = z.strictObject({
  query: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .optional()
    .describe('part of the username, of the name that they chose, or of the address'),
  role: z.enum(['administrator', 'user', 'crowd']).optional().describe('default: all but crowd workers'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('items on a page'),
  cursor: z.guid().optional().describe('nextCursor of the page before'),
});
export type WhichUsers = z.infer<typeof WhichUsers>;

export const ManagedUser = namedObject('ManagedUser', {
  id: z.string().describe('of the account'),
  username: z.string().describe('by which their page is found'),
  displayName: z.string().nullable().describe('the name that they chose; null: the username'),
  email: z.string().describe('their address'),
  role: z.enum(['administrator', 'user', 'crowd']).describe('crowd: came by a link, for one round of collecting'),
  createdAt: at('when the account was made'),
  lastSeenAt: z.iso
    .datetime()
    .nullable()
    .describe('when a token or a session of theirs that is still there was last used; null: none was'),
  blockedAt: z.iso.datetime().nullable().describe('since when they are blocked; null: they are not'),
  verified: z
    .boolean()
    .describe(
      'whether the account is verified: by mail, by an invitation, by an administrator, or as an administrator',
    ),
  verifiedAt: z.iso.datetime().nullable().describe('when an administrator verified the account; null: none did'),
  storageLimit: z
    .int()
    .nullable()
    .describe('bytes that their models and datasets may take; null: as many as everybody’s'),
  tasks: z.int().describe('tasks that they own'),
  models: z.int().describe('models that they submitted'),
});
export type ManagedUser = z.infer<typeof ManagedUser>;

export const ManagedUserList = namedObject('ManagedUserList', {
  items: z.array(ManagedUser).describe('the newest first; deleted ones are left out'),
  nextCursor: cursor,
});
export type ManagedUserList = z.infer<typeof ManagedUserList>;

export const ChangeUser = namedStrictObject('ChangeUser', {
  role: z.enum(['administrator', 'user']).optional().describe('what they may do'),
  blocked: z.boolean().optional().describe('true: they cannot sign in, and their tokens and sessions stop working'),
  verified: z
    .boolean()
    .optional()
    .describe('true: the account is verified, also without a confirmed mail address; false: takes that back'),
  storageLimit: ByteSize.nullable()
    .optional()
    .describe('bytes that their models and datasets may take, or a text like 4GiB; null: as many as everybody’s'),
});
export type ChangeUser = z.infer<typeof ChangeUser>;

export const InvitationCreated = namedObject('InvitationCreated', {
  id: z.string().describe('of the invitation'),
  url: z.string().describe('the link for the invited person, with the secret. Shown once; the secret is stored hashed'),
  endsAt: at('until when one account can be registered with it'),
});
export type InvitationCreated = z.infer<typeof InvitationCreated>;

const InvitationView = namedObject('Invitation', {
  id: z.string().describe('of the invitation'),
  createdAt: at('when it was created'),
  endsAt: at('until when one account can be registered with it'),
  usedAt: z.iso.datetime().nullable().describe('when an account was registered with it; null: not used'),
  usedBy: z.string().nullable().describe('username of that account; null: not used, or the account was deleted'),
});
export type InvitationView = z.infer<typeof InvitationView>;

export const InvitationList = namedObject('InvitationList', {
  items: z.array(InvitationView).describe('the newest first, without those that ended unused'),
  nextCursor: cursor,
});
export type InvitationList = z.infer<typeof InvitationList>;

export const UserStorageView = namedObject('UserStorage', {
  artifacts: z.number().describe('bytes of the artifacts of their models, without the archived'),
  datasets: z.number().describe('bytes of the datasets of their tasks, all versions'),
  uploads: z.number().describe('bytes of uploads that still arrive'),
  limit: z.number().nullable().describe('bytes that they may have together; null: an administrator, who has no limit'),
});
export type UserStorageView = z.infer<typeof UserStorageView>;

/** The kinds of items that use a user's storage. */
export const STORAGE_KINDS = ['artifact', 'dataset', 'upload'] as const;

const StorageItem = namedObject('StorageItem', {
  kind: z
    .enum(STORAGE_KINDS)
    .describe('artifact: of models; dataset: the content of versions; upload: to a model, still under way'),
  bytes: z.number().describe('bytes that it takes, or will'),
  of: z
    .array(
      z.object({
        task: z.string().describe('slug of the task'),
        name: z.string().describe('of the model, or of the dataset with its version: r1 (2)'),
        model: z.string().optional().describe('id of the model; of a dataset: none'),
      }),
    )
    .describe('what these bytes are: the same bytes may be several things'),
});

export const StorageItems = namedObject('StorageItems', {
  items: z.array(StorageItem).describe('the largest first, at most 200'),
  more: z.int().describe('smaller ones that are left out'),
});
export type StorageItems = z.infer<typeof StorageItems>;

const seconds = (what: string) =>
  z.number().nullable().describe(`seconds since ${what} was added; null: there is none`);

export const QueueStates = namedObject('QueueStates', {
  queues: z
    .array(
      z.object({
        name: z.enum(QUEUES).describe('of the queue'),
        waiting: z.int().describe('jobs that no worker has taken yet'),
        active: z.int().describe('jobs that a worker holds'),
        delayed: z.int().describe('jobs that failed, and wait to be tried again'),
        failed: z
          .int()
          .describe('jobs that are kept though they failed for good; none as a rule, as they are forgotten: see runs'),
        oldestWaitingSeconds: seconds('the oldest that waits'),
      }),
    )
    .describe('the job queues; the runs are authoritative'),
  events: z
    .object({
      waiting: z.int().describe('events that were not delivered to the queues yet'),
      oldestSeconds: seconds('the oldest of them'),
    })
    .describe('what happened, on its way to the queues'),
  runs: z
    .array(
      z.object({
        stage: z.enum(['admission', 'evaluation']).describe('what is to be done'),
        queued: z.int().describe('runs that wait for an evaluator'),
        leased: z.int().describe('runs that an evaluator works on'),
        failedInDay: z.int().describe('runs that failed in the last 24 hours, for any reason'),
        platformFailedInDay: z.int().describe("of those, by the platform's fault"),
        oldestQueuedSeconds: seconds('the oldest that waits for an evaluator, not for a quiet host to be measured on'),
      }),
    )
    .describe('the runs of models, which are authoritative'),
});
export type QueueStates = z.infer<typeof QueueStates>;

const model = z
  .object({
    id: z.string().describe('of the model'),
    name: z.string().describe('of the model'),
    owner: z.string().describe('username of the submitter'),
  })
  .nullable()
  .describe('whose it is, the first of several that are one computation; null: it is there no more');

const work = {
  kind: z
    .enum(['run', 'placement'])
    .describe('run: it is evaluated; placement: a deployment, which answers people who write examples'),
  id: z.string().describe('of the run or the deployment'),
  task: z.string().describe('short name of the task'),
  model,
  does: z
    .enum(['admission', 'evaluation', 'measures', ...DEPLOYMENT_STATES])
    .describe('the stage or the purpose of a run; the state of a deployment'),
  since: at('when it started'),
  leaseUntil: at('when it is taken by another, unless it is renewed before'),
};

export const RunningSandboxes = namedObject('RunningSandboxes', {
  items: z
    .array(
      z.object({
        ...work,
        evaluator: z.string().describe('name of the evaluator that runs it'),
        memory: z.number().describe('what it may use at most, in bytes'),
        cpus: z.number().describe('processors that it may use'),
      }),
    )
    .describe('runs that an evaluator works on and models that are served, the oldest first'),
});
export type RunningSandboxes = z.infer<typeof RunningSandboxes>;

const FoundImage = namedObject('FoundImage', {
  evaluator: z.string().nullable().describe('name of the evaluator'),
  port: z.int().describe('port on which the model listens'),
  protocol: z.string().nullable().describe('protocol that its label names'),
  unpackedBytes: z.number().describe('bytes that it unpacks to'),
});

export const EvaluatorList = namedObject('EvaluatorList', {
  items: z
    .array(
      z.object({
        name: z.string().describe('of the evaluator'),
        seenAt: z.iso
          .datetime()
          .nullable()
          .describe('when it last said that it is there, as it does every 15 seconds; null: not known'),
        isLive: z.boolean().describe('whether that is less than a minute ago, or it holds a lease'),
        leases: z.int().describe('runs and deployments that it holds, and that have not expired'),
        work: z.array(z.object(work)).describe('what these are, the oldest first'),
      }),
    )
    .describe('that are there or were in the last day, by name; one that was stopped in order is not among them'),
  differingImages: z
    .array(
      z.object({
        digest: z.string().describe('sha256 of the uploaded container'),
        admitted: FoundImage.describe('what the evaluator found that admitted it; its name is null if it is not known'),
        found: FoundImage.describe('what another evaluator found in the same bytes'),
        at: at('when the difference was reported'),
      }),
    )
    .describe(
      'the latest 20 containers in which two evaluators found something else: one of them lies, or they run versions of Assay that rebuild images differently',
    ),
});
export type EvaluatorList = z.infer<typeof EvaluatorList>;

/** The kinds of blobs. A blob of several kinds is counted under the first of them. */
export const BLOB_KINDS = ['artifacts', 'datasets', 'releases', 'predictions', 'resamples', 'other'] as const;

export const StorageReport = namedObject('StorageReport', {
  at: at('when it was counted: at most once a minute'),
  blobs: z
    .array(
      z.object({
        kind: z
          .enum(BLOB_KINDS)
          .describe(
            'artifacts: models as they were uploaded; datasets; releases: what closed rounds became; predictions; resamples: bootstrap values of scores; other: named by nothing, or on their way',
          ),
        count: z.int().describe('files'),
        bytes: z.number().describe('bytes of them'),
      }),
    )
    .describe('the same bytes are kept, and counted, once'),
  disk: z
    .object({
      free: z.number().describe('bytes that can still be written'),
      total: z.number().describe('bytes of the file system'),
    })
    .describe('of the file system on which ASSAY_HOME is'),
  database: z.number().describe('bytes of the database on its disk'),
});
export type StorageReport = z.infer<typeof StorageReport>;

export const AUDIT_ACTIONS = [
  'account.role',
  'account.blocked',
  'account.verified',
  'account.deleted',
  'account.password',
  'account.linked',
  'account.unlinked',
  'account.storage',
  'invitation.made',
  'invitation.withdrawn',
  'invitation.used',
  'token.made',
  'token.revoked',
  'task.created',
  'task.changed',
  'task.given',
  'task.submitters',
  'dataset.put',
  'dataset.changed',
  'dataset.inputs_read',
  'benchmark.activated',
  'model.submitted',
  'model.artifact',
  'model.published',
  'model.withdrawn',
  'model.archived',
  'model.rerun',
  'model.cancelled',
  'model.loop',
  'model.lineage',
  'model.supplemented',
  'round.opened',
  'round.changed',
  'round.closed',
  'round.contexts',
  'round.examples',
  'context.changed',
  'annotation.decided',
  'annotation.retracted',
  'crowd_link.made',
  'crowd_link.closed',
  'loop.changed',
  'fork.made',
  'fork.removed',
  'snapshot.made',
  'webhook.made',
  'webhook.changed',
  'webhook.secret_renewed',
  'webhook.disabled',
  'webhook.deleted',
  'evaluator.registered',
  'evaluator.removed',
] as const;
export const AuditAction = z.enum(AUDIT_ACTIONS).meta({ id: 'AuditAction', description: 'what was done' });
export type AuditAction = z.infer<typeof AuditAction>;

export const AUDIT_SUBJECTS = [
  'account',
  'invitation',
  'token',
  'task',
  'dataset',
  'benchmark',
  'model',
  'round',
  'context',
  'annotation',
  'crowd_link',
  'fork',
  'snapshot',
  'webhook',
  'evaluator',
] as const;
export type AuditSubjectKind = (typeof AUDIT_SUBJECTS)[number];

export const WhichEntries = z.strictObject({
  actor: z.string().trim().min(1).max(100).optional().describe('username or ID of the actor'),
  action: z.enum(AUDIT_ACTIONS).optional().describe('what was done'),
  subject: z.guid().optional().describe('id of what it was done to'),
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('items on a page'),
  cursor: z.guid().optional().describe('nextCursor of the page before'),
});
export type WhichEntries = z.infer<typeof WhichEntries>;

const facts = (description: string) => z.record(z.string(), z.unknown()).nullable().describe(description);

export const AuditView = namedObject('AuditEntry', {
  id: z.string().describe('of the entry'),
  at: at('when it was done'),
  actor: z
    .object({
      id: z.string().describe('of the account'),
      username: z.string().nullable().describe('null: the account was deleted since'),
    })
    .nullable()
    .describe('the actor; null: the platform'),
  action: AuditAction,
  subject: z
    .object({
      kind: z.enum(AUDIT_SUBJECTS).describe('what it is'),
      id: z.string().describe('its id'),
      name: z.string().nullable().describe('its name then; of an account as it is now; null: none'),
    })
    .describe('what it was done to'),
  from: facts('what was so before, of what changed; null: nothing'),
  to: facts('what is so since, of what changed; null: nothing'),
  network: z
    .string()
    .nullable()
    .describe('the network that it was asked from, never the whole address; null: not known'),
});
export type AuditView = z.infer<typeof AuditView>;

export const AuditEntryList = namedObject('AuditEntryList', {
  items: z.array(AuditView).describe('the newest first'),
  nextCursor: cursor,
});
export type AuditEntryList = z.infer<typeof AuditEntryList>;
