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
