// For: webhooks: subscriptions, deliveries, signatures, retries.
export { bodyOf, WEBHOOK_DELIVERY_TRANSITIONS, WebhookDelivery } from './webhook-delivery.js';
export { WebhookDeliveriesService } from './webhook-deliveries.service.js';
export { type ClaimedDelivery, type DeliveryEnd, WebhookDeliveryRepository } from './webhook-delivery.repository.js';
export { enqueueEvent, enqueueNext, enqueueWebhooks, sweepDeliveries } from './webhook-queue.js';
export { DAYS_UNTIL_DISABLED, MOST_TRIES, retryAfterSeconds, secondsUntilRetry } from './webhook-retry.js';
export { webhookHeaders, WebhookSecrets } from './webhook-secrets.js';
export { addressIn, WebhookTargets } from './webhook-targets.js';
export { originOf, Webhook, WebhookRepository } from './webhook.js';
export { WebhooksService } from './webhooks.service.js';
