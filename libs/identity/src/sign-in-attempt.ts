import { defineEntity, p } from '@mikro-orm/core';

export const SignInAttemptSchema = defineEntity({
  name: 'SignInAttempt',
  properties: {
    /**
     * SHA-256 of the mail address in lower case, either alone or together with the origin of the
     * attempts. Attempts are counted whether or not the account exists. Hashing avoids storing what
     * people mistype.
     */
    account: p.string().length(64).primary(),
    attempts: p.integer(),
    /** The time when the attempts expire. */
    endsAt: p.datetime().index(),
  },
});

/**
 * The number of wrong passwords for an account, from one browser or network, or from all clients
 * that have never signed in to it.
 */
export class SignInAttempt extends SignInAttemptSchema.class {}
SignInAttemptSchema.setClass(SignInAttempt);
