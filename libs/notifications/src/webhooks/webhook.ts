import type { WebhookDisabledBy, WebhookKind } from '@assay/contracts/webhooks';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

export const WebhookSchema = defineEntity({
  name: 'Webhook',
  indexes: [{ properties: ['user'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    url: p.string().columnType('text'),
    /** Encrypted by `WebhookSecrets`. */
    secret: p.string().columnType('text'),
    /** The ID of the key that the secret is encrypted with. */
    keyId: p.string().length(16),
    /**
     * The previous secret, encrypted with the same key. Deliveries until `formerUntil` are signed
     * with it too.
     */
    formerSecret: p.string().columnType('text').nullable(),
    /** Time of the database. */
    formerUntil: p.datetime().nullable(),
    kinds: p.json<readonly WebhookKind[]>(),
    createdAt: p.datetime().onCreate(() => new Date()),
    disabledAt: p.datetime().nullable(),
    disabledBy: p.string().length(10).$type<WebhookDisabledBy>().nullable(),
    /** The start of the period without a successful delivery. Time of the database. */
    failingSince: p.datetime().nullable(),
  },
});

/** A webhook: a URL to which events are delivered for a user. */
export class Webhook extends WebhookSchema.class {
  disable(by: WebhookDisabledBy, now: Date): void {
    this.disabledAt = now;
    this.disabledBy = by;
  }

  enable(): void {
    this.disabledAt = null;
    this.disabledBy = null;
    this.failingSince = null;
  }
}
WebhookSchema.setClass(Webhook);

/**
 * Returns the part of the URL that others may know: the path and the query may contain secrets of
 * the receiver.
 */
export const originOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).origin;
