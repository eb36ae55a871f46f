// For: telling people what happened: notifications in the dashboard, by mail and by webhook.
// Knows: notices, their recipients' channels, webhooks with their deliveries.
// Must not know: tasks, rounds, models, HTTP, which event causes a notice.
export { notificationsEntities } from './entities.js';
export { enqueueConfirmations, enqueueMails, type Notice, notify } from './notices.js';
export { NotificationSettings } from './notification-settings.js';
export { notificationTitle } from './notification-text.js';
export { NotificationsModule } from './notifications.module.js';
export { NotificationsService } from './notifications.service.js';
export { notificationsPersonalData } from './personal-data.js';
export { UserNotification } from './user-notification.js';
export { bodyOf } from './webhooks/webhook-body.js';
export { WebhookDeliveriesService } from './webhooks/webhook-deliveries.service.js';
export { WEBHOOK_DELIVERY_TRANSITIONS, WebhookDelivery } from './webhooks/webhook-delivery.js';
export {
  type ClaimedDelivery,
  type DeliveryEnd,
  WebhookDeliveryRepository,
} from './webhooks/webhook-delivery.repository.js';
export { enqueueEvent, enqueueNext, enqueueWebhooks, sweepDeliveries } from './webhooks/webhook-queue.js';
export { DAYS_UNTIL_DISABLED, MOST_TRIES, retryAfterSeconds, secondsUntilRetry } from './webhooks/webhook-retry.js';
export { WebhookSecrets } from './webhooks/webhook-secrets.js';
export { webhookHeaders } from './webhooks/webhook-signature.js';
export { addressIn, WebhookTargets } from './webhooks/webhook-targets.js';
export { originOf, Webhook } from './webhooks/webhook.js';
export { WebhookRepository } from './webhooks/webhook.repository.js';
export { WebhooksService } from './webhooks/webhooks.service.js';
