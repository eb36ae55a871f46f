import type { WebhookDisabledBy, WebhookKind } from '@assay/contracts/webhooks';
import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { databaseTime, databaseTimeIn, Repository } from '@assay/persistence/queries';
import { defineEntity, p } from '@mikro-orm/core';

const WebhookSchema = defineEntity({
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

/** The webhooks of the database. All times are those of the database. */
export class WebhookRepository extends Repository<typeof WebhookSchema> {
  /**
   * Stores a new secret. A former secret stays valid for `hours`; null: there is none.
   * @returns when the former secret ends
   */
  async replaceSecret(
    id: string,
    secrets: Pick<Webhook, 'secret' | 'keyId'> & { readonly formerSecret: string | null },
    hours: number,
  ): Promise<Date | null> {
    const { formerUntil } = await this.db
      .updateTable('webhook')
      .set({ ...secrets, formerUntil: secrets.formerSecret === null ? null : databaseTimeIn(hours * 3600) })
      .where('id', '=', id)
      .returning('formerUntil')
      .executeTakeFirstOrThrow();
    return formerUntil;
  }

  /** Deletes the former secrets that have expired. */
  async forgetFormerSecrets(): Promise<void> {
    await this.db
      .updateTable('webhook')
      .set({ formerSecret: null, formerUntil: null })
      .where('formerUntil', '<', databaseTime())
      .execute();
  }

  /** Records a failed delivery, and returns whether none has succeeded for more than `days`. */
  async recordFailure(id: string, days: number): Promise<boolean> {
    const webhook = await this.db
      .updateTable('webhook')
      .set((webhook) => ({ failingSince: webhook.fn.coalesce('failingSince', databaseTime()) }))
      .where('id', '=', id)
      .returning((webhook) => webhook('failingSince', '<', databaseTimeIn(-days * 86_400)).as('isLong'))
      .executeTakeFirst();
    return Boolean(webhook?.isLong);
  }
}
