import { defineEntity, p } from '@mikro-orm/core';

const SignInAttemptSchema = defineEntity({
  name: 'SignInAttempt',
  properties: {
    /**
     * SHA-256 of the mail address in small letters, alone or with where the attempts come from. It is counted whether or not there is such an account,
     * and what people mistype is not stored.
     */
    account: p.string().length(64).primary(),
    attempts: p.integer(),
    /** When they are forgotten. */
    endsAt: p.datetime().index(),
  },
});

/** How often a wrong password was sent for an account: from one browser or network, or from all that are not known to it. */
export class SignInAttempt extends SignInAttemptSchema.class {}
SignInAttemptSchema.setClass(SignInAttempt);
