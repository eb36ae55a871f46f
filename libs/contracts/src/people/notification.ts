import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';

export const NOTIFICATION_KINDS = [
  'model_finished',
  'model_failed',
  'model_incomplete',
  'loop_entered',
  'loop_left',
  'example_decided',
  'round_opened',
  'round_closed',
  'webhook_disabled',
] as const;
export const NotificationKind = z.enum(NOTIFICATION_KINDS).meta({
  id: 'NotificationKind',
  description:
    'a model of yours has all its scores, failed, or lacks predictions for a new dataset; it entered or left the loop; the fate of an example of yours is decided; a round opened or closed on a task where you took part or have a model; a webhook of yours was disabled',
});
export type NotificationKind = z.infer<typeof NotificationKind>;

export const NotificationView = namedObject('Notification', {
  id: z.string().describe('of the notification'),
  kind: NotificationKind,
  title: z.string().describe('what happened, in a sentence'),
  task: z.string().nullable().describe('short name of the task; null: it is about none'),
  round: z.int().nullable().describe('number of the round; null: it is about none'),
  model: z.string().nullable().describe('id of the model; null: it is about none'),
  annotation: z.string().nullable().describe('id of the example; null: it is about none'),
  at: z.iso.datetime().describe('when'),
  readAt: z.iso.datetime().nullable().describe('when you read it; null: not yet'),
});
export type NotificationView = z.infer<typeof NotificationView>;

export const NotificationList = namedObject('NotificationList', {
  items: z.array(NotificationView),
  unread: z.int().describe('of all of yours'),
  nextCursor: z.string().optional().describe('for the next page; absent on the last'),
});
export type NotificationList = z.infer<typeof NotificationList>;

export const ReadNotifications = z
  .union([
    z.strictObject({ ids: z.array(z.guid()).min(1).max(500).describe('of those that you have read') }),
    z.strictObject({ all: z.literal(true).describe('all that there are') }),
  ])
  .meta({ id: 'ReadNotifications' });
export type ReadNotifications = z.infer<typeof ReadNotifications>;

const Channels = z.strictObject({
  app: z.boolean().describe('shown here'),
  mail: z.boolean().describe('sent to your address, where this service sends mail'),
});

const kinds = Object.fromEntries(
  NOTIFICATION_KINDS.map((kind) => [kind, Channels.describe(`where ${kind} goes`)]),
) as Record<NotificationKind, typeof Channels>;

export const NotificationSettingsView = z
  .object({ kinds: z.object(kinds).describe('by kind, where it goes') })
  .extend({ mails: z.boolean().describe('whether this service sends mail at all') })
  .meta({ id: 'NotificationSettings' });
export type NotificationSettingsView = z.infer<typeof NotificationSettingsView>;

export const ChangeNotificationSettings = namedStrictObject('ChangeNotificationSettings', {
  kinds: z
    .partialRecord(z.enum(NOTIFICATION_KINDS), Channels.partial())
    .describe('by kind, what changes; the rest stays as it is'),
});
export type ChangeNotificationSettings = z.infer<typeof ChangeNotificationSettings>;
