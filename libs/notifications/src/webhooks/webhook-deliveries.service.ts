import type { DeliveredKind, WebhookDeliveryList, WebhookDeliveryView } from '@assay/contracts/webhooks';
import { DomainError, firstPage, newId, RefusedForNow } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { bodyOf, WebhookDelivery } from './webhook-delivery.js';
import { ownWebhook } from './webhooks.service.js';
import type { Webhook } from './webhook.js';

/**
 * The maximum number of pings and redeliveries of a user per minute, over all their webhooks.
 * Prevents abuse of the service to flood receivers.
 */
const MOST_ASKED = 10;
const MINUTE_SECONDS = 60;

/** Lists the deliveries of webhooks, sends pings, and redelivers. */
@Injectable()
export class WebhookDeliveriesService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Lists the newest first, after the one with the ID `cursor`.
   * @throws DomainError `not_found` if the user has no such webhook
   */
  async list(
    userId: string,
    webhookId: string,
    { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
  ): Promise<WebhookDeliveryList> {
    const em = this.em.fork();
    const webhook = await ownWebhook(em, userId, webhookId, LockMode.NONE);
    const found = await em.find(
      WebhookDelivery,
      { webhook, ...(cursor !== undefined && { id: { $lt: cursor } }) },
      { orderBy: { id: 'desc' }, limit: limit + 1 },
    );
    const { items, ...next } = firstPage(found, { limit }, ({ id }) => id);
    return { items: items.map((each) => deliveryView(each, webhook)), ...next };
  }

  /**
   * Sends an event without content.
   * @throws DomainError `not_found`, `webhook_disabled`
   * @throws RefusedForNow `too_many_pings`
   */
  async ping(userId: string, webhookId: string): Promise<WebhookDeliveryView> {
    return this.em.fork().transactional(async (em) => {
      const webhook = await sendable(em, userId, webhookId);
      const id = newId();
      const now = new Date();
      const kind: DeliveredKind = 'webhook.ping';
      const body = bodyOf(kind, now, { webhook: webhookId });
      const row = { id, webhook, kind, key: `ping:${id}`, body, dueAt: now, askedAt: now };
      const delivery = em.create(WebhookDelivery, row);
      Outbox.add(em, 'webhook.due', { deliveryId: id });
      await em.flush();
      return deliveryView(delivery, webhook);
    });
  }

  /**
   * Sends a delivery again, with the same ID and body.
   * @throws DomainError `webhook_disabled`, `delivery_waits`; `not_found` if the webhook has no
   *   such delivery
   * @throws RefusedForNow `too_many_pings`
   */
  async redeliver(userId: string, webhookId: string, id: string): Promise<WebhookDeliveryView> {
    return this.em.fork().transactional(async (em) => {
      const webhook = await sendable(em, userId, webhookId, id);
      const delivery = await em.findOneOrFail(WebhookDelivery, { id, webhook });
      if (delivery.state === 'waiting') {
        throw new DomainError('conflict', 'delivery_waits', 'This delivery is already queued. Wait until it is sent.');
      }
      const now = new Date();
      delivery.redeliver(now);
      Outbox.add(em, 'webhook.due', { deliveryId: id });
      await em.flush();
      return deliveryView(delivery, webhook);
    });
  }
}

async function sendable(em: EntityManager, userId: string, webhookId: string, deliveryId?: string): Promise<Webhook> {
  const webhook = await ownWebhook(em, userId, webhookId);
  if (deliveryId !== undefined && (await em.count(WebhookDelivery, { id: deliveryId, webhook })) === 0) {
    throw DomainError.notFound('delivery');
  }
  if (webhook.disabledAt) {
    throw new DomainError('conflict', 'webhook_disabled', 'This webhook is disabled. Enable it first.');
  }
  const since = new Date(Date.now() - MINUTE_SECONDS * 1000);
  if ((await em.count(WebhookDelivery, { webhook: { user: userId }, askedAt: { $gt: since } })) >= MOST_ASKED) {
    const message = `You sent ${MOST_ASKED} events manually in the last minute, the limit. Wait a minute.`;
    throw new RefusedForNow('too_many_pings', message, MINUTE_SECONDS);
  }
  return webhook;
}

function deliveryView(delivery: WebhookDelivery, { disabledAt }: Webhook): WebhookDeliveryView {
  const { id, kind, createdAt, state, attempts, dueAt, log } = delivery;
  return {
    id,
    kind,
    createdAt: createdAt.toISOString(),
    state,
    attempts,
    nextAttemptAt: state === 'waiting' && !disabledAt ? dueAt.toISOString() : null,
    log: [...log],
  };
}
