// For: webhooks, events and jobs.
export { type DomainEvent, type EventMap, type EventName, parseEvent } from './event.js';
export { type JobMap, type QueueName, QUEUES } from './job.js';
export {
  ChangeWebhook,
  type DeliveredKind,
  MakeWebhook,
  WebhookAttempt,
  WebhookDeliveryList,
  type WebhookDeliveryState,
  WebhookDeliveryView,
  type WebhookDisabledBy,
  WebhookKind,
  WebhookList,
  WebhookMade,
  WebhookView,
} from './webhook.js';
