import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { databaseTimeIn, Repository } from '@assay/persistence/queries';
import { defineEntity, p } from '@mikro-orm/core';

const MailConfirmationSchema = defineEntity({
  name: 'MailConfirmation',
  indexes: [
    { properties: ['user', 'createdAt'] },
    {
      name: 'mail_confirmation_unsent',
      expression: `create index "mail_confirmation_unsent" on "mail_confirmation" ("created_at") where "sent_at" is null`,
    },
  ],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    /** sha256 of the secret in the link. Null: no mail has been sent yet. */
    hash: p.string().length(64).unique().nullable(),
    createdAt: p.datetime().onCreate(() => new Date()),
    sentAt: p.datetime().nullable(),
  },
});

/** A request to confirm a mail address by a mailed link. */
export class MailConfirmation extends MailConfirmationSchema.class {}
MailConfirmationSchema.setClass(MailConfirmation);

/** The requests to confirm mail addresses that the database has. */
export class MailConfirmationRepository extends Repository<typeof MailConfirmationSchema> {
  /** Returns the IDs of the requests of the last `hours` whose mails were not sent, oldest first. */
  unsent(hours: number): Promise<readonly string[]> {
    return this.idsOf(
      this.db
        .selectFrom('mail_confirmation')
        .select('id')
        .where('sentAt', 'is', null)
        .where('createdAt', '>', databaseTimeIn(-hours * 3600))
        .orderBy('id')
        .execute(),
    );
  }
}
