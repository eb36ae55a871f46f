import { defineEntity, p } from '@mikro-orm/core';
import { newId } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';

/** `crowd`: a worker of a platform, who comes by a link and reaches the collecting of one round alone. */
export const ROLES = ['administrator', 'user', 'crowd'] as const;
export type Role = (typeof ROLES)[number];

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    username: p.string().length(39),
    /** The username in small letters: two names that differ in case alone would be taken for each other. */
    usernameKey: p.string().length(39).unique(),
    /** Kept in small letters. */
    email: p.string().length(254).unique(),
    /** Since when it is known that they read what is sent there; null: nothing but what they ask for is sent. */
    emailVerifiedAt: p.datetime().nullable(),
    /** argon2id, in its own text form; null for an account that signs in by token alone. */
    passwordHash: p.string().length(255).nullable(),
    role: p.enum(ROLES).default('user'),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** Bytes that their models and datasets may take; null: as many as the service gives everybody. */
    storageLimit: p.bigint('number').nullable(),
    /** When the person had the account deleted: what is left of it names nobody. */
    deletedAt: p.datetime().nullable(),
    /** Since when an administrator keeps them out; null: they may sign in. */
    blockedAt: p.datetime().nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);

/**
 * One at a time for a user, until the transaction ends: what is counted against a limit of theirs. What only refers to them goes on beside.
 * A user is locked after a task or a model, never before.
 */
export async function lockUser(em: EntityManager, id: string): Promise<void> {
  await em.execute('select id from user_account where id = ? for no key update', [id]);
}
