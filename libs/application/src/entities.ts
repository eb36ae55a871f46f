import { MailConfirmation, Profile } from '@assay/accounts';
import { Annotation, AnnotatorCount, Assignment, ExampleFingerprint } from '@assay/collection/annotating';
import { CrowdLink, CrowdSession } from '@assay/collection/crowds';
import { Appeal, BadgeAward, Consent, ConsentRecord } from '@assay/collection/people';
import { Context, ContextMark, Participation, RoundModel, RoundRelease } from '@assay/collection/rounds';
import { Validation, ValidatorCount } from '@assay/collection/validating';
import { WorkerPresence } from '@assay/evaluation';
import { Evaluation, Measurement } from '@assay/evaluation/evaluations';
import { Evaluator } from '@assay/evaluation/evaluators';
import { Run } from '@assay/evaluation/runs';
import { Credential, ExternalIdentity, ProviderSignIn, SignInAttempt, User } from '@assay/identity';
import { Invitation } from '@assay/identity/invitations';
import { AuditEntry } from '@assay/identity/audit';
import { leaderboardEntities } from '@assay/leaderboard';
import { NotificationSettings, UserNotification } from '@assay/notifications';
import { Webhook, WebhookDelivery } from '@assay/notifications/webhooks';
import { OutboxEvent } from '@assay/persistence/outbox';
import { Deployment } from '@assay/serving';
import { Model, RunSpecification } from '@assay/submissions';
import { Artifact } from '@assay/submissions/artifacts';
import { Supplement } from '@assay/submissions/supplements';
import { Round, Task, TaskSubmitter } from '@assay/tasks';
import { BenchmarkVersion, StaleBoard } from '@assay/tasks/benchmarks';
import { Dataset, DatasetVersion } from '@assay/tasks/datasets';

/** The database entities of all contexts, and of the outbox. */
export const entities = [
  User,
  Credential,
  AuditEntry,
  SignInAttempt,
  ExternalIdentity,
  Invitation,
  ProviderSignIn,
  Profile,
  MailConfirmation,
  Task,
  TaskSubmitter,
  Round,
  Dataset,
  DatasetVersion,
  BenchmarkVersion,
  StaleBoard,
  Artifact,
  RunSpecification,
  Supplement,
  Model,
  Evaluation,
  Run,
  Measurement,
  WorkerPresence,
  Evaluator,
  ...leaderboardEntities,
  Deployment,
  RoundModel,
  RoundRelease,
  Context,
  Participation,
  Annotation,
  AnnotatorCount,
  ContextMark,
  Assignment,
  ExampleFingerprint,
  Validation,
  ValidatorCount,
  Consent,
  ConsentRecord,
  Appeal,
  BadgeAward,
  CrowdLink,
  CrowdSession,
  UserNotification,
  NotificationSettings,
  Webhook,
  WebhookDelivery,
  OutboxEvent,
];
