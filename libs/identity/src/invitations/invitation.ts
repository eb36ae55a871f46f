import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';

const InvitationSchema = defineEntity({
  name: 'Invitation',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    /** sha256 of the secret in the link, so that read access to the table is not enough to use it. */
    hash: p.string().length(64).unique(),
    createdAt: p.datetime().onCreate(() => new Date()),
    endsAt: p.datetime(),
  },
});

/** A link with which one person can register. It is used if an account refers to it. */
export class Invitation extends InvitationSchema.class {}
InvitationSchema.setClass(Invitation);
