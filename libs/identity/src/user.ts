import type { TokenScope } from '@assay/contracts/identity';
import { Repository } from '@assay/persistence/queries';
import { defineEntity, p } from '@mikro-orm/core';
import { newId } from '@assay/kernel';
import { Invitation } from './invitations/invitation.js';

/**
 * `crowd`: a worker of a crowd platform, who arrives by a link and can only take part in the
 * collection of one round.
 */
export const ROLES = ['administrator', 'user', 'crowd'] as const;
export type Role = (typeof ROLES)[number];

const UserSchema = defineEntity({
  name: 'User',
  tableName: 'user_account',
  properties: {
    id: p.uuid().primary().onCreate(newId),
    username: p.string().length(39),
    /**
     * The username in lower case. Unique, because names that differ only in case are easily
     * confused.
     */
    usernameKey: p.string().length(39).unique(),
    /** In lower case. */
    email: p.string().length(254).unique(),
    /**
     * The time when the address was confirmed. Null: unconfirmed, and only mail that the user
     * requests is sent.
     */
    emailVerifiedAt: p.datetime().nullable(),
    /** The time when an administrator verified the account. Null: none did. */
    verifiedAt: p.datetime().nullable(),
    /** argon2id in its encoded text form. Null for an account without a password. */
    passwordHash: p.string().length(255).nullable(),
    role: p.enum(ROLES).default('user'),
    /** The invitation that the account was registered with. */
    invitation: () => p.manyToOne(Invitation).nullable().unique(),
    createdAt: p.datetime().onCreate(() => new Date()),
    /** Bytes that their models and datasets may take. Null: the default of the service. */
    storageLimit: p.bigint('number').nullable(),
    /** The time when the user had the account deleted. The remaining row identifies nobody. */
    deletedAt: p.datetime().nullable(),
    /** The time when an administrator blocked the account. Null: not blocked. */
    blockedAt: p.datetime().nullable(),
  },
});

export class User extends UserSchema.class {}
UserSchema.setClass(User);

/** The users of the database. */
export class UserRepository extends Repository<typeof UserSchema> {
  /**
   * Locks a user until the transaction ends, to check something against a limit of theirs. Rows that
   * merely reference the user can still be written. Lock order: a user after a task or a model,
   * never before.
   */
  async lock(id: string): Promise<void> {
    await this.db.selectFrom('user_account').select('id').where('id', '=', id).forNoKeyUpdate().execute();
  }
}

/** The authenticated user of a request. */
export interface Principal {
  readonly userId: string;
  readonly username: string;
  readonly role: Role;
  readonly credentialId: string;
  /** True if the account is verified. */
  readonly isVerified: boolean;
  /** The scope of the credential. */
  readonly scope: TokenScope;
  /** The client address of the request. */
  readonly address?: string;
}

/**
 * Returns whether an account is verified: its mail address is confirmed, it was registered with an
 * invitation, an administrator verified it, or it is an administrator's.
 */
export const isVerified = ({ emailVerifiedAt, invitation, verifiedAt, role }: VerificationFacts): boolean =>
  Boolean(emailVerifiedAt ?? invitation ?? verifiedAt) || role === 'administrator';

/** The facts that determine whether an account is verified. */
export interface VerificationFacts extends Pick<User, 'role'> {
  readonly emailVerifiedAt?: unknown;
  readonly invitation?: unknown;
  readonly verifiedAt?: unknown;
}

export const isAdministrator = (principal: Principal | null): boolean => principal?.role === 'administrator';
