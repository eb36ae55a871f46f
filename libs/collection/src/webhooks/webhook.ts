import type { WebhookDisabledBy, WebhookKind } from '@assay/contracts';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const WebhookSchema = defineEntity({
  name: 'Webhook',
  indexes: [{ properties: ['user'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    url: p.string().columnType('text'),
    /** Sealed by `WebhookSecrets`. */
    secret: p.string().columnType('text'),
    /** Names the key that the secret is sealed with. */
    keyId: p.string().length(16),
    /** The secret before, sealed with the same key: what is sent until `formerUntil` is signed with it too. */
    formerSecret: p.string().columnType('text').nullable(),
    /** Time of the database. */
    formerUntil: p.datetime().nullable(),
    kinds: p.json<readonly WebhookKind[]>(),
    createdAt: p.datetime().onCreate(() => new Date()),
    disabledAt: p.datetime().nullable(),
    disabledBy: p.string().length(10).$type<WebhookDisabledBy>().nullable(),
    /** Since when nothing has arrived. Time of the database. */
    failingSince: p.datetime().nullable(),
  },
});

/** Where a program of somebody's is told of what happens. */
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

/** The most of its address that may be known to others: paths and queries hold secrets of the receiver. */
export const originOf = ({ url }: Pick<Webhook, 'url'>): string => new URL(url).origin;
