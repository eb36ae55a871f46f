import type { TokenScope } from '@assay/contracts/identity';
import { newId } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import { User } from './user.js';

const CredentialSchema = defineEntity({
  name: 'Credential',
  indexes: [{ properties: ['user'] }, { properties: ['parent'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    kind: p.enum(['token', 'session'] as const),
    /**
     * The token that requested this credential, directly or through a session. This credential ends
     * with it. Null: no token did.
     */
    parent: () => p.manyToOne(Credential).deleteRule('cascade').nullable(),
    /** For a token, the name its holder chose. For a session, the browser that signed in. */
    name: p.string().length(100),
    /** The address that started a session. Null for a token. */
    address: p.string().length(45).nullable(),
    /** The scope of a token. A session always has the scope `all`. */
    scope: p.string().length(10).$type<TokenScope>().default('all'),
    /**
     * The sign-in method of a session. Null for a token, a crowd worker, and sessions from before
     * the method was recorded.
     */
    method: p.string().length(10).$type<SignInMethod>().nullable(),
    /** sha256 of the secret, so that read access to the table is not enough to sign in. */
    hash: p.string().length(64).unique(),
    createdAt: p.datetime().onCreate(() => new Date()),
    /**
     * The time when the user of a session proved their identity, which with a provider may be long
     * before the sign-in. Null if unknown, and for a token.
     */
    provenAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    /** Null: valid until revoked. */
    expiresAt: p.datetime().nullable(),
  },
});

export type SignInMethod = 'password' | 'token' | 'provider';

/** A proof of identity: a token for programs, a session for a browser. */
export class Credential extends CredentialSchema.class {}
CredentialSchema.setClass(Credential);
