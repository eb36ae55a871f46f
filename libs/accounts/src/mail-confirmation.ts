import { User } from '@assay/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

export const MailConfirmationSchema = defineEntity({
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
