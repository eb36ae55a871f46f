import { Repository } from '@assay/persistence/queries';

/** The notifications of the database. */
export class UserNotificationRepository extends Repository {
  /**
   * Returns the IDs of the notifications of the last `hours` whose mails were not sent and whose
   * users have a confirmed address, oldest first.
   * @param key restricts them to one occurrence
   */
  unsentMails(hours: number, key: string | null = null): Promise<readonly string[]> {
    return this.idsOf(
      this.em.execute<{ id: string }[]>(
        `select n.id from notification n join user_account u on u.id = n.user_id
        where n.mail and n.mailed_at is null and n.created_at > now() - make_interval(hours => ?)
         and u.email_verified_at is not null and (?::text is null or n.key = ?::text) order by n.id`,
        [hours, key, key],
      ),
    );
  }
}
