import type { AuditAction, AuditEntry } from '../../client/types.gen.js';

/** What was done, as people say it. */
export const ACTION_NAMES: Readonly<Record<AuditAction, string>> = {
  'account.role': $localize`Role changed`,
  'account.blocked': $localize`Account blocked or let in`,
  'account.deleted': $localize`Account deleted`,
  'account.password': $localize`Password changed`,
  'account.linked': $localize`Account linked with a provider`,
  'account.unlinked': $localize`Account no longer linked with a provider`,
  'account.storage': $localize`Storage limit changed`,
  'token.made': $localize`Token made`,
  'token.revoked': $localize`Token revoked`,
  'task.created': $localize`Task created`,
  'task.changed': $localize`Task changed`,
  'task.given': $localize`Task given to another owner`,
  'dataset.put': $localize`Dataset put`,
  'dataset.changed': $localize`Dataset changed`,
  'benchmark.activated': $localize`Benchmark version activated`,
  'model.submitted': $localize`Model submitted`,
  'model.artifact': $localize`Artifact of a model received`,
  'model.published': $localize`Model published`,
  'model.withdrawn': $localize`Model withdrawn`,
  'model.archived': $localize`Model archived`,
  'model.rerun': $localize`Model run again`,
  'model.cancelled': $localize`Model cancelled`,
  'model.loop': $localize`Model in or out of the loop`,
  'round.opened': $localize`Round opened`,
  'round.changed': $localize`Round changed`,
  'round.closed': $localize`Round closed`,
  'round.contexts': $localize`Contexts put into a round`,
  'round.examples': $localize`Examples brought into a round`,
  'context.changed': $localize`Context changed`,
  'annotation.decided': $localize`Example decided by its task’s owner`,
  'annotation.retracted': $localize`Example taken back`,
  'crowd_link.made': $localize`Crowd link made`,
  'crowd_link.closed': $localize`Crowd link closed`,
  'loop.changed': $localize`Other models in the loop`,
  'fork.made': $localize`Weights kept under a name`,
  'fork.removed': $localize`Kept weights removed`,
  'snapshot.made': $localize`Board frozen under a name`,
};

export const SUBJECT_NAMES: Readonly<Record<AuditEntry['subject']['kind'], string>> = {
  account: $localize`account`,
  token: $localize`token`,
  task: $localize`task`,
  dataset: $localize`dataset`,
  benchmark: $localize`benchmark version`,
  model: $localize`model`,
  round: $localize`round`,
  context: $localize`context`,
  annotation: $localize`example`,
  crowd_link: $localize`crowd link`,
  fork: $localize`kept weights`,
  snapshot: $localize`frozen board`,
};

/** An address that asks for entries may say anything; undefined: no action is called so. */
export const actionOf = (text: string | undefined): AuditAction | undefined =>
  text !== undefined && Object.hasOwn(ACTION_NAMES, text) ? (text as AuditAction) : undefined;
