import { defineEntity, p } from '@mikro-orm/core';

/** What a provider said of somebody who has no account yet. */
export interface ProvenPerson {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  /** When they last proved who they are there (ISO 8601); null: the provider has not said. */
  readonly provenAt: string | null;
}

const ProviderSignInSchema = defineEntity({
  name: 'ProviderSignIn',
  properties: {
    /** sha256 of what the browser holds in a cookie: whoever reads the table can't go on with it. */
    hash: p.string().length(64).primary(),
    state: p.string().length(64),
    nonce: p.string().length(64),
    codeVerifier: p.string().length(128),
    /** Where the person goes afterwards: a path of the dashboard. */
    next: p.string().length(500),
    /** Who asked for it while signed in, to be known by the provider from now on; null: nobody was. */
    linkTo: p.uuid().nullable(),
    /** The session by which the same browser was here before. */
    replaces: p.uuid().nullable(),
    /** Null: the provider has not answered yet. */
    person: p.json<ProvenPerson>().nullable(),
    endsAt: p.datetime().index(),
  },
});

/** A sign-in at an OpenID provider that is under way in one browser. */
export class ProviderSignIn extends ProviderSignInSchema.class {}
ProviderSignInSchema.setClass(ProviderSignIn);
