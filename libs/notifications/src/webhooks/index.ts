// For: webhooks: subscriptions, deliveries, signatures, retries.
export { bodyOf, WEBHOOK_DELIVERY_TRANSITIONS, WebhookDelivery } from './webhook-delivery.js';
export { WebhookDeliveriesService } from './webhook-deliveries.service.js';
export { type ClaimedDelivery, type DeliveryEnd, WebhookDeliveryRepository } from './webhook-delivery.repository.js';
export {
  DAYS_UNTIL_DISABLED,
  enqueueEvent,
  enqueueNext,
  enqueueWebhooks,
  MOST_TRIES,
  retryAfterSeconds,
  secondsUntilRetry,
  sweepDeliveries,
} from './webhook-queue.js';
export { webhookHeaders, WebhookSecrets } from './webhook-secrets.js';
export { addressIn, WebhookTargets } from './webhook-targets.js';
export { originOf, Webhook, WebhookRepository } from './webhook.js';
export { WebhooksService } from './webhooks.service.js';
