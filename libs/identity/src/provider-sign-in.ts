import { newId } from '@assay/kernel';
import { databaseTime, Repository } from '@assay/persistence/queries';
import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.js';

/** A provider's statement about a person that it has authenticated. */
export interface ProvenPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  /**
   * The time when they last proved their identity to the provider (ISO 8601). Null if the provider
   * did not state it.
   */
  readonly provenAt: string | null;
}

const ProviderSignInSchema = defineEntity({
  name: 'ProviderSignIn',
  properties: {
    /**
     * sha256 of the secret in the browser's cookie, so that read access to the table is not enough
     * to continue the sign-in.
     */
    hash: p.string().length(64).primary(),
    state: p.string().length(64),
    nonce: p.string().length(64),
    codeVerifier: p.string().length(128),
    /** The path of the dashboard to open afterwards. */
    next: p.string().length(500),
    /**
     * The signed-in user who wants to link the provider to their account. Null: nobody was signed
     * in.
     */
    linkTo: p.uuid().nullable(),
    /** The session that the same browser used before. */
    replaces: p.uuid().nullable(),
    /** Null: the provider has not answered yet. */
    person: p.json<ProvenPerson>().nullable(),
    endsAt: p.datetime().index(),
  },
});

/** A sign-in at an OpenID provider that is in progress in one browser. */
export class ProviderSignIn extends ProviderSignInSchema.class {}
ProviderSignInSchema.setClass(ProviderSignIn);

/** The sign-ins at providers that the database has. */
export class ProviderSignInRepository extends Repository<typeof ProviderSignInSchema> {
  /** Deletes the sign-ins that have expired, except those that another transaction holds. */
  async deleteExpired(): Promise<void> {
    await this.db
      .deleteFrom('provider_sign_in')
      .where('hash', 'in', (signIn) =>
        signIn
          .selectFrom('provider_sign_in')
          .select('hash')
          .where('endsAt', '<=', databaseTime())
          .forUpdate()
          .skipLocked(),
      )
      .execute();
  }
}

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
