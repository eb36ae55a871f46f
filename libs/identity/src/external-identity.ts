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
    /** The provider, as it calls itself: subjects of different ones have nothing to do with each other. */
    issuer: p.string().length(500),
    /** Whom the provider means: never changes, unlike a mail address. */
    subject: p.string().length(255),
    createdAt: p.datetime().onCreate(() => new Date()),
  },
});

/** That somebody of an OpenID provider is the holder of an account. */
export class ExternalIdentity extends ExternalIdentitySchema.class {}
ExternalIdentitySchema.setClass(ExternalIdentity);
