import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.js';

const ExternalIdentitySchema = defineEntity({
  name: 'ExternalIdentity',
  indexes: [{ properties: ['user'] }],
  uniques: [{ properties: ['issuer', 'subject'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    /** The provider's issuer identifier. Subjects of different providers are unrelated. */
    issuer: p.string().length(500),
    /** The person's identifier at the provider. Never changes, unlike a mail address. */
    subject: p.string().length(255),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** A link between an account and a person at an OpenID provider. */
export class ExternalIdentity extends ExternalIdentitySchema.class {}
ExternalIdentitySchema.setClass(ExternalIdentity);
