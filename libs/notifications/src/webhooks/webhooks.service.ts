import type { ChangeWebhook, MakeWebhook, WebhookMade, WebhookView } from '@assay/contracts/webhooks';
import { type Principal, User } from '@assay/identity';
import { AuditLog, type AuditRecord } from '@assay/identity/audit';
import { DomainError, newId } from '@assay/kernel';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { WebhookDeliveryRepository } from './webhook-delivery.repository.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { WebhookTargets } from './webhook-targets.js';
import { originOf, Webhook, WebhookRepository } from './webhook.js';

const MOST_WEBHOOKS = 10;
/** Hours for which the previous secret stays valid, so that receivers can switch to the new one. */
const BOTH_COUNT_HOURS = 24;

/** Manages users' own webhooks. Nobody else can see that they exist. */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly em: EntityManager,
    private readonly secrets: WebhookSecrets,
    private readonly targets: WebhookTargets,
  ) {}

  async list(userId: string): Promise<WebhookView[]> {
    const webhooks = await this.em.fork().find(Webhook, { user: userId }, { orderBy: { id: 'asc' } });
    return webhooks.map(webhookView);
  }

  /**
   * Creates a webhook.
   * @throws DomainError `webhook_target_refused`, `too_many_webhooks`
   */
  async make(principal: Principal, { url, kinds }: MakeWebhook): Promise<WebhookMade> {
    const target = this.target(url);
    return this.em.fork().transactional(async (em) => {
      // serialises concurrent requests, so that the count is exact
      const user = await em.findOneOrFail(User, principal.userId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if ((await em.count(Webhook, { user })) >= MOST_WEBHOOKS) {
        throw new DomainError(
          'conflict',
          'too_many_webhooks',
          `You have ${MOST_WEBHOOKS} webhooks, the limit for one account. Delete or change one of them.`,
        );
      }
      const id = newId();
      const secret = this.secrets.make();
      const sealed = { secret: this.secrets.seal(id, secret), keyId: this.secrets.keyId };
      const webhook = em.create(Webhook, { id, user, url: target, ...sealed, kinds: [...new Set(kinds)] });
      AuditLog.record(em, principal, { action: 'webhook.made', subject: subjectOf(webhook), to: factsOf(webhook) });
      await em.flush();
      return { ...webhookView(webhook), secret };
    });
  }

  /**
   * Changes a webhook. Disabling it fails its waiting deliveries.
   * @throws DomainError `webhook_target_refused`; `not_found` if the user has no such webhook
   */
  async change(principal: Principal, id: string, { url, kinds, enabled }: ChangeWebhook): Promise<WebhookView> {
    const target = url === undefined ? undefined : this.target(url);
    return this.em.fork().transactional(async (em) => {
      const webhook = await ownWebhook(em, principal.userId, id);
      const from = factsOf(webhook);
      if (target !== undefined) webhook.url = target;
      if (kinds !== undefined) webhook.kinds = [...new Set(kinds)];
      if (enabled === true) webhook.enable();
      if (enabled === false && !webhook.disabledAt) {
        webhook.disable('you', new Date());
        await new WebhookDeliveryRepository(em).failWaiting(id);
      }
      const entry = { action: 'webhook.changed', subject: subjectOf(webhook) } as const;
      AuditLog.recordChange(em, principal, entry, { from, to: factsOf(webhook) });
      return webhookView(webhook);
    });
  }

  /**
   * Replaces the secret. Deliveries within the next 24 hours are signed with both secrets, so that
   * the receiver misses nothing while it switches.
   * @throws DomainError `not_found` if the user has no such webhook
   */
  async renewSecret(principal: Principal, id: string): Promise<WebhookMade> {
    return this.em.fork().transactional(async (em) => {
      const webhook = await ownWebhook(em, principal.userId, id);
      const secret = this.secrets.make();
      // a secret that is encrypted with another key cannot be used for signing any more
      const formerSecret = webhook.keyId === this.secrets.keyId ? webhook.secret : null;
      const sealed = { secret: this.secrets.seal(id, secret), keyId: this.secrets.keyId, formerSecret };
      const formerUntil = await new WebhookRepository(em).replaceSecret(id, sealed, BOTH_COUNT_HOURS);
      const to = { bothCountUntil: formerUntil?.toISOString() ?? null };
      AuditLog.record(em, principal, { action: 'webhook.secret_renewed', subject: subjectOf(webhook), to });
      return { ...webhookView(webhook), formerSecretUntil: to.bothCountUntil, secret };
    });
  }

  /**
   * Deletes a webhook and its deliveries.
   * @throws DomainError `not_found`
   */
  async remove(principal: Principal, id: string): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const webhook = await ownWebhook(em, principal.userId, id);
      AuditLog.record(em, principal, {
        action: 'webhook.deleted',
        subject: subjectOf(webhook),
        from: factsOf(webhook),
      });
      em.remove(webhook);
    });
  }

  private target(text: string): string {
    const url = URL.parse(text);
    const problem = url === null ? 'It is not a URL.' : this.targets.problemOf(url);
    if (url === null || problem !== null) {
      const message = `Webhooks cannot be sent to this URL. ${problem} Use a public https:// address.`;
      throw new DomainError('invalid', 'webhook_target_refused', message, [{ path: 'url', message: problem ?? '' }]);
    }
    url.hash = '';
    return url.href;
  }
}

/** @throws DomainError `not_found` if the user has no such webhook */
export async function ownWebhook(
  em: EntityManager,
  userId: string,
  id: string,
  lockMode: LockMode.NONE | LockMode.PESSIMISTIC_WRITE = LockMode.PESSIMISTIC_WRITE,
): Promise<Webhook> {
  return em.findOneOrFail(Webhook, { id, user: userId }, { lockMode, failHandler: DomainError.missing('webhook') });
}

function webhookView(webhook: Webhook): WebhookView {
  const { id, url, kinds, createdAt, formerUntil, disabledAt, disabledBy, failingSince } = webhook;
  return {
    id,
    url,
    kinds: [...kinds],
    createdAt: createdAt.toISOString(),
    formerSecretUntil: formerUntil && formerUntil > new Date() ? formerUntil.toISOString() : null,
    disabledAt: disabledAt?.toISOString() ?? null,
    disabledBy: disabledBy ?? null,
    failingSince: failingSince?.toISOString() ?? null,
  };
}

const subjectOf = ({ id }: Webhook): AuditRecord['subject'] => ({ kind: 'webhook', id });

/** Returns the audited fields. The URL without its path, which may be a secret of the receiver. */
const factsOf = (webhook: Webhook) => ({
  origin: originOf(webhook),
  kinds: [...webhook.kinds],
  enabled: !webhook.disabledAt,
});
