import { z } from 'zod';
import { namedObject, namedStrictObject } from '../named-object.js';

/** Events about the user's own models and examples, and about rounds, as in notifications. */
const OWN_KINDS = [
  'model.finished',
  'model.failed',
  'model.incomplete',
  'loop.entered',
  'loop.left',
  'example.decided',
  'round.opened',
  'round.closed',
] as const;

/** Events about the tasks that the user owns, including models of others. */
const OWNER_KINDS = [
  'task.model.finished',
  'task.model.failed',
  'task.model.incomplete',
  'task.loop.entered',
  'task.loop.left',
  'task.round.opened',
  'task.round.closed',
  'task.board.published',
] as const;

export const WEBHOOK_KINDS = [...OWN_KINDS, ...OWNER_KINDS] as const;
export const WebhookKind = z.enum(WEBHOOK_KINDS).meta({
  id: 'WebhookKind',
  description:
    'as notifications: a model of yours, an example of yours, a round where you take part; task.…: of the tasks that you own, whoever’s model it is',
});
export type WebhookKind = z.infer<typeof WebhookKind>;

const DELIVERED_KINDS = [...WEBHOOK_KINDS, 'webhook.ping'] as const;
export type DeliveredKind = (typeof DELIVERED_KINDS)[number];

const Url = z
  .string()
  .min(1)
  .max(2000)
  .describe('where events are posted: https, at a public address, without a name or a password in it');
const Kinds = z.array(WebhookKind).min(1).max(50).describe('what you want to be told of');

export const MakeWebhook = namedStrictObject('MakeWebhook', { url: Url, kinds: Kinds });
export type MakeWebhook = z.infer<typeof MakeWebhook>;

export const ChangeWebhook = z
  .strictObject({
    url: Url.optional(),
    kinds: Kinds.optional(),
    enabled: z.boolean().optional().describe('false: nothing is sent until it is true again'),
  })
  .meta({ id: 'ChangeWebhook', description: 'what changes; the rest stays as it is' });
export type ChangeWebhook = z.infer<typeof ChangeWebhook>;

export const WEBHOOK_DISABLED_BY = ['you', 'gone', 'failing'] as const;
export type WebhookDisabledBy = (typeof WEBHOOK_DISABLED_BY)[number];

export const WebhookView = namedObject('Webhook', {
  id: z.string().describe('of the webhook'),
  url: z.string().describe('where events are posted'),
  kinds: z.array(WebhookKind).describe('the kinds of events that it receives'),
  createdAt: z.iso.datetime().describe('when it was made'),
  formerSecretUntil: z.iso
    .datetime()
    .nullable()
    .describe('until when what is sent is signed with the secret before, too; null: with its secret alone'),
  disabledAt: z.iso.datetime().nullable().describe('since when nothing is sent; null: it is enabled'),
  disabledBy: z
    .enum(WEBHOOK_DISABLED_BY)
    .nullable()
    .describe('you; gone: it answered 410; failing: nothing arrived for three days; null: it is enabled'),
  failingSince: z.iso.datetime().nullable().describe('since when nothing arrives; null: the last arrived'),
});
export type WebhookView = z.infer<typeof WebhookView>;

export const WebhookMade = WebhookView.extend({
  secret: z
    .string()
    .describe('what signatures are made with, as Standard Webhooks writes it (whsec_…); shown this once'),
}).meta({ id: 'WebhookMade' });
export type WebhookMade = z.infer<typeof WebhookMade>;

export const WebhookList = namedObject('WebhookList', { items: z.array(WebhookView).describe('the oldest first') });
export type WebhookList = z.infer<typeof WebhookList>;

export const WebhookAttempt = namedObject('WebhookAttempt', {
  at: z.iso.datetime().describe('when it started'),
  milliseconds: z.number().describe('how long it took'),
  status: z.int().nullable().describe('HTTP status of the answer; null: there was none'),
  answer: z.string().describe('the first 1,024 bytes of the answer, as text'),
  problem: z.string().nullable().describe('why it does not count as delivered; null: it does'),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

export const WEBHOOK_DELIVERY_STATES = ['waiting', 'delivered', 'failed'] as const;
export type WebhookDeliveryState = (typeof WEBHOOK_DELIVERY_STATES)[number];

export const WebhookDeliveryView = namedObject('WebhookDelivery', {
  id: z.string().describe('the webhook-id that is sent along: the same at each attempt'),
  kind: z.enum(DELIVERED_KINDS).describe('what it tells of; webhook.ping: you asked for a test'),
  createdAt: z.iso.datetime().describe('when it happened'),
  state: z
    .enum(WEBHOOK_DELIVERY_STATES)
    .describe('waiting: for its next attempt; delivered: it was answered with 2xx; failed: given up'),
  attempts: z.int().describe('how often it was sent'),
  nextAttemptAt: z.iso.datetime().nullable().describe('not before; null: it is sent no more'),
  log: z.array(WebhookAttempt).describe('the last attempts, the newest first, 20 at most'),
});
export type WebhookDeliveryView = z.infer<typeof WebhookDeliveryView>;

export const WebhookDeliveryList = namedObject('WebhookDeliveryList', {
  items: z.array(WebhookDeliveryView).describe('the newest first; those of 30 days are kept'),
  nextCursor: z.string().optional().describe('for the next page; absent on the last'),
});
export type WebhookDeliveryList = z.infer<typeof WebhookDeliveryList>;
