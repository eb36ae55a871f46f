import type { NotificationKind } from '@assay/contracts/people';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/** The subject of a notification: names and IDs, never content. */
export interface NotificationData {
  /** The slug of the task. */
  readonly task?: string;
  /** The number of the round. */
  readonly round?: number;
  readonly model?: { readonly id: string; readonly name: string };
  /** The name of the dataset. */
  readonly dataset?: string;
  /** True if the inputs of the dataset are hidden. */
  readonly hidden?: boolean;
  /** True if the hidden inputs of the dataset are shared with listed submitters. */
  readonly shared?: boolean;
  /** The deadline, in ISO 8601. */
  readonly until?: string;
  /** The ID of the annotation. */
  readonly annotation?: string;
  /** The outcome of the annotation. */
  readonly outcome?: string;
  /** The ID of the webhook, and the origin of its URL. */
  readonly webhook?: { readonly id: string; readonly origin: string };
  /** The reason, as a sentence written by the platform. */
  readonly why?: string;
}

const UserNotificationSchema = defineEntity({
  name: 'UserNotification',
  tableName: 'notification',
  uniques: [{ properties: ['key', 'user'] }],
  indexes: [
    { properties: ['user', 'createdAt'] },
    {
      name: 'notification_unsent',
      expression: `create index "notification_unsent" on "notification" ("created_at") where "mail" and "mailed_at" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User),
    kind: p.string().length(20).$type<NotificationKind>(),
    /** Identifies the occurrence: each user gets at most one notification with this key. */
    key: p.string().length(200),
    data: p.json<NotificationData>(),
    /** True if it is shown in the dashboard. */
    app: p.boolean(),
    /** True if it is sent by mail. */
    mail: p.boolean(),
    createdAt: p.datetime().onCreate(() => new Date()),
    readAt: p.datetime().nullable(),
    mailedAt: p.datetime().nullable(),
  },
});

/** A notification of one user. */
export class UserNotification extends UserNotificationSchema.class {}
UserNotificationSchema.setClass(UserNotification);

const FATES: Readonly<Record<string, string>> = {
  validated: 'was found correct',
  rejected: 'was found incorrect',
  flagged: 'was flagged',
  undecided: 'remains undecided because the validators did not agree',
};

/** Returns a sentence that says what happened. It never includes the content of an example. */
export function notificationTitle(kind: NotificationKind, data: NotificationData): string {
  const model = `Your model "${data.model?.name ?? ''}"`;
  const round = data.round === undefined ? '' : `round ${data.round} of `;
  switch (kind) {
    case 'model_finished':
      return `${model} has all its scores on ${data.task}.`;
    case 'model_failed':
      return `${model} failed on ${data.task}${data.why === undefined ? '.' : `: ${data.why}`}`;
    case 'model_incomplete': {
      const lacking = `${model} has no predictions for "${data.dataset}" of ${data.task}, so it has no rank.`;
      if (data.hidden) return `${lacking} The inputs are hidden. It is ranked on boards without this dataset.`;
      const until = data.until === undefined ? '' : ` until ${data.until.slice(0, 10)}`;
      if (data.shared) return `${lacking} You may read its inputs and add them${until}.`;
      return `${lacking} Add them${until}.`;
    }
    case 'loop_entered':
      return `${model} entered the loop of ${round}${data.task}. Annotators now write examples against it.`;
    case 'loop_left':
      return `${model} left the loop of ${round}${data.task}${data.why === undefined ? '.' : `: ${data.why}`}`;
    case 'example_decided':
      return `Your example in ${round}${data.task} ${FATES[data.outcome ?? ''] ?? 'was decided'}.`;
    case 'round_opened':
      return `Round ${data.round} of ${data.task} is open.`;
    case 'round_closed':
      return `Round ${data.round} of ${data.task} is closed.`;
    case 'webhook_disabled':
      return `Your webhook at ${data.webhook?.origin ?? ''} was disabled: ${data.why ?? ''}`;
  }
}
