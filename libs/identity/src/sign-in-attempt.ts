import { defineEntity, p } from '@mikro-orm/core';

const SignInAttemptSchema = defineEntity({
  name: 'SignInAttempt',
  properties: {
    /** sha256 of the address in small letters, whether or not it has an account: what people mistype is not kept. */
    account: p.string().length(64).primary(),
    attempts: p.integer(),
    /** When they are forgotten. */
    endsAt: p.datetime().index(),
  },
});

/** How often a password was tried for an account since somebody last knew it. */
export class SignInAttempt extends SignInAttemptSchema.class {}
SignInAttemptSchema.setClass(SignInAttempt);
