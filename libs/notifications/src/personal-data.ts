import { deleteOwnRows, type PersonalData } from '@assay/persistence';

/** The data about a user's notifications and webhooks. */
export const notificationsPersonalData: PersonalData = {
  objects: {
    notificationSettings: `select id, kinds from notification_settings where user_id = ?`,
  },
  lists: {
    webhooks: `select id, url, kinds, created_at as "createdAt", disabled_at as "disabledAt" from webhook where user_id = ?`,
    webhookDeliveries: `select x.id, x.webhook_id as webhook, x.kind, x.body, x.state, x.attempts, x.log, x.created_at as "createdAt"
    from webhook_delivery x join webhook w on w.id = x.webhook_id where w.user_id = ?`,
    notifications: `select id, kind, data, created_at as "createdAt", read_at as "readAt", mailed_at as "mailedAt"
    from notification where user_id = ?`,
  },
  erase: (em, { id }) => deleteOwnRows(em, ['notification', 'notification_settings', 'webhook'], id),
};
