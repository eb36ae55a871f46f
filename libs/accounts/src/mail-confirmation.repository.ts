import { databaseTimeIn, Repository } from '@assay/persistence/queries';
import type { MailConfirmationSchema } from './mail-confirmation.js';

/** The requests to confirm mail addresses that the database has. */
export class MailConfirmationRepository extends Repository<typeof MailConfirmationSchema> {
  /** Returns the IDs of the requests of the last `hours` whose mails were not sent, oldest first. */
  async unsent(hours: number): Promise<readonly string[]> {
    const rows = await this.db
      .selectFrom('mail_confirmation')
      .select('id')
      .where('sentAt', 'is', null)
      .where('createdAt', '>', databaseTimeIn(-hours * 3600))
      .orderBy('id')
      .execute();
    return rows.map(({ id }) => id);
  }
}
