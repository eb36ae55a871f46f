import type { NotificationKind } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

/** What a notification is about: names and ids, never content. */
export interface NotificationData {
  /** Short name of the task. */
  readonly task?: string;
  /** Number of the round. */
  readonly round?: number;
  readonly model?: { readonly id: string; readonly name: string };
  /** Id of the annotation. */
  readonly annotation?: string;
  /** The fate of the annotation. */
  readonly outcome?: string;
  /** Its id, and whom it called. */
  readonly webhook?: { readonly id: string; readonly origin: string };
  /** Why: a sentence of the platform's. */
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
    /** Of what happened: the same event makes it once. */
    key: p.string().length(200),
    data: p.json<NotificationData>(),
    /** Whether it is shown here. */
    app: p.boolean(),
    /** Whether it is sent by mail. */
    mail: p.boolean(),
    createdAt: p.datetime().onCreate(() => new Date()),
    readAt: p.datetime().nullable(),
    mailedAt: p.datetime().nullable(),
  },
});

/** Something that somebody wanted to know of. */
export class UserNotification extends UserNotificationSchema.class {}
UserNotificationSchema.setClass(UserNotification);
