import { NotificationSettings } from './notification-settings.js';
import { UserNotification } from './user-notification.js';
import { WebhookDelivery } from './webhooks/webhook-delivery.js';
import { Webhook } from './webhooks/webhook.js';

/** The database entities of this lib. */
export const notificationsEntities = [UserNotification, NotificationSettings, Webhook, WebhookDelivery];
