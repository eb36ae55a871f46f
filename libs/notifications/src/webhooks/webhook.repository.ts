import { databaseTime, databaseTimeIn, Repository } from '@assay/persistence/queries';
import type { Webhook, WebhookSchema } from './webhook.js';

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
