import type { Login, Register } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { isUniqueViolation } from '@assay/persistence';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { User } from './user.js';

/** Verified in place of an account that is not there, so that the answer takes as long. Of no password that anybody has. */
let decoy: Promise<string> | undefined;

@Injectable()
export class AccountsService {
  constructor(private readonly em: EntityManager) {}

  async register(request: Register): Promise<User> {
    const user = this.em.create(User, {
      username: request.username,
      usernameKey: request.username.toLowerCase(),
      email: request.email.toLowerCase(),
      passwordHash: await hash(request.password),
    });
    try {
      await this.em.flush();
    } catch (error) {
      if (isUniqueViolation(error)) throw taken();
      throw error;
    }
    return user;
  }

  /** The user whose email and password these are. */
  async verify(request: Login): Promise<User> {
    const user = await this.em.findOne(User, { email: request.email.toLowerCase() });
    decoy ??= hash('no password of anybody');
    const right = await verify(user?.passwordHash ?? (await decoy), request.password);
    if (!user?.passwordHash || !right) {
      throw new DomainError(
        'unauthenticated',
        'wrong_credentials',
        'There is no account with this email and password.',
      );
    }
    if (user.blockedAt) {
      throw new DomainError(
        'forbidden',
        'account_blocked',
        'An administrator has blocked this account: write to them.',
      );
    }
    return user;
  }

  /** Whether this is the password of the account; never so where it has none. */
  async isPassword({ passwordHash }: User, password: string): Promise<boolean> {
    return passwordHash ? verify(passwordHash, password) : false;
  }

  async get(userId: string): Promise<User> {
    return this.em.findOneOrFail(User, userId);
  }

  /** The administrator that the first start makes; it signs in by token, so it has no password. */
  async ensureAdministrator(): Promise<{ readonly user: User; readonly created: boolean }> {
    const present = await this.em.findOne(
      User,
      { role: 'administrator', blockedAt: null },
      { orderBy: { createdAt: 'asc' } },
    );
    if (present) return { user: present, created: false };

    const user = this.em.create(User, {
      username: 'admin',
      usernameKey: 'admin',
      email: 'admin@localhost',
      role: 'administrator',
    });
    await this.em.flush();
    return { user, created: true };
  }
}

const taken = (): DomainError =>
  new DomainError('conflict', 'account_taken', 'This username or this email has an account already.');
