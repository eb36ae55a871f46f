import { defineEntity, p } from '@mikro-orm/core';
import type { TokenScope } from '@assay/contracts';
import { newId } from '@assay/kernel';
import { User } from './user.js';

const CredentialSchema = defineEntity({
  name: 'Credential',
  indexes: [{ properties: ['user'] }, { properties: ['parent'] }],
  properties: {
    id: p.uuid().primary().onCreate(newId),
    user: () => p.manyToOne(User).deleteRule('cascade'),
    kind: p.enum(['token', 'session'] as const),
    /** The token by which it was asked for, at first or second hand: it ends with that. Null: by none. */
    parent: () => p.manyToOne(Credential).deleteRule('cascade').nullable(),
    /** Of a token: as its holder calls it. Of a session: the browser that signed in. */
    name: p.string().length(100),
    /** From where a session was begun; null: of a token. */
    address: p.string().length(45).nullable(),
    /** What a token is good for; a session is for all. */
    scope: p.string().length(10).$type<TokenScope>().default('all'),
    /** By what a session was begun; null: a token, a worker of a crowd, or begun before this was kept. */
    method: p.string().length(10).$type<SignInMethod>().nullable(),
    /** sha256 of the secret: whoever reads the table can't sign in with it. */
    hash: p.string().length(64).unique(),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** When whoever began a session proved who they are, which at a provider may be long before; null: nobody said, or a token. */
    provenAt: p.datetime().nullable(),
    lastUsedAt: p.datetime().nullable(),
    /** Null: until it is revoked. */
    expiresAt: p.datetime().nullable(),
  },
});

export type SignInMethod = 'password' | 'token' | 'provider';

/** What proves who somebody is: a token for programs, a session for a browser. */
export class Credential extends CredentialSchema.class {}
CredentialSchema.setClass(Credential);
