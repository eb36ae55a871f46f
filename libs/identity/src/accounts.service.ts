import type { ChangePassword, Login, Register, RegistrationMode } from '@assay/contracts/identity';
import { DomainError } from '@assay/kernel';
import { ifDuplicate } from '@assay/persistence/queries';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { hash, verify } from '@node-rs/argon2';
import { AuditLog } from './audit/audit-log.js';
import { Credential } from './credential.js';
import { revokeTokens } from './credentials.service.js';
import { takeInvitation } from './invitations/invitations.service.js';
import { ExternalIdentity } from './provider-sign-in.js';
import { expectStrongPassword } from './password-rule.js';
import { type Principal, User } from './user.js';
import { type AttemptOrigin, countAttempt, forgetAttempts } from './sign-in-attempts.js';

const RECENT_MILLISECONDS = 15 * 60_000;

/** Returns whether a proof of identity is recent enough to count: less than 15 minutes old. */
export const isRecent = (provenAt: Date | null | undefined, now: Date): boolean =>
  Boolean(provenAt && now.getTime() - provenAt.getTime() < RECENT_MILLISECONDS);

/**
 * Hash of a random text, verified if the account does not exist so that the response takes as long.
 * It matches no user's password.
 */
let decoy: Promise<string> | undefined;

@Injectable()
export class AccountsService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Creates an account.
   * @throws DomainError `registration_closed`, `invitation_needed`, `invitation_ended`, `weak_password`,
   *   `account_taken`
   */
  async register(request: Register, mode: RegistrationMode): Promise<User> {
    const { username, email, password, invitation } = request;
    expectRegistration(mode, invitation);
    await expectStrongPassword(password, request, 'password');
    const passwordHash = await hash(password);
    const registered = this.em.transactional(async (em) => {
      const user = em.create(User, {
        username,
        usernameKey: username.toLowerCase(),
        email: email.toLowerCase(),
        passwordHash,
      });
      await em.flush();
      if (invitation !== undefined) await takeInvitation(em, user, invitation);
      return user;
    });
    return registered.catch(ifDuplicate(accountTaken));
  }

  /**
   * Returns the user with this email and password.
   * @throws DomainError `too_many_attempts`, `wrong_credentials`, `account_blocked`
   */
  async verify({ email, password }: Login, origin: AttemptOrigin): Promise<User> {
    await countAttempt(this.em, email, origin);
    const user = await this.em.findOne(User, { email: email.toLowerCase() });
    decoy ??= hash('no password of anybody');
    const right = await verify(user?.passwordHash ?? (await decoy), password);
    if (!user?.passwordHash || !right) {
      throw new DomainError('unauthenticated', 'wrong_credentials', 'Wrong email or password.');
    }
    await forgetAttempts(this.em, email, origin);
    expectNotBlocked(user);
    return user;
  }

  /**
   * Sets a new password. Ends all sessions except the one that `principal` uses, and revokes all
   * other tokens if `endTokens` is set.
   * @throws DomainError `weak_password`, and the errors of `expectProof`
   */
  async changePassword(principal: Principal, change: ChangePassword, now: Date): Promise<void> {
    const { password, newPassword, endTokens } = change;
    await expectStrongPassword(newPassword, await this.get(principal.userId), 'newPassword');
    await this.expectProof(principal, password, now);
    const passwordHash = await hash(newPassword);
    await this.em.fork().transactional(async (em) => {
      const { userId, credentialId } = principal;
      await em.nativeUpdate(User, userId, { passwordHash });
      await em.nativeDelete(Credential, { user: userId, kind: 'session', id: { $ne: credentialId } });
      if (endTokens) await revokeTokens(em, principal);
      AuditLog.record(em, principal, { action: 'account.password', subject: { kind: 'account', id: userId } });
    });
  }

  /**
   * Requires a proof that the account's holder makes the request, because a stolen session or token
   * is not enough. The proof is the password. If the account has none, it is a session of a recent
   * sign-in: by the provider if one is linked, otherwise by a token that was not created with
   * another token, because such a token may have been lent.
   * @throws DomainError `wrong_password`, `recent_sign_in_needed`, `too_many_attempts`
   */
  async expectProof({ userId, credentialId }: Principal, password: string | undefined, now: Date): Promise<void> {
    const em = this.em.fork();
    const user = await em.findOneOrFail(User, userId);
    if (user.passwordHash) {
      if (password !== undefined) {
        const origin = { kind: 'credential' } as const;
        await countAttempt(em, user.email, origin);
        if (await verify(user.passwordHash, password)) return forgetAttempts(em, user.email, origin);
      }
      throw new DomainError(
        'forbidden',
        'wrong_password',
        'The "password" is missing or wrong. Send the current password of this account.',
      );
    }
    const { kind, method, createdAt, provenAt, parent } = await em.findOneOrFail(Credential, credentialId, {
      populate: ['parent'],
    });
    const isKnown = (await em.count(ExternalIdentity, { user })) > 0;
    const isProven = kind === 'session' && (isKnown ? method === 'provider' : !parent?.parent);
    if (isProven && isRecent(createdAt, now) && isRecent(provenAt, now)) return;
    throw new DomainError(
      'forbidden',
      'recent_sign_in_needed',
      'This account has no password. Sign in again, and repeat the request with that session within 15 minutes.',
    );
  }

  async get(userId: string): Promise<User> {
    return this.em.findOneOrFail(User, userId);
  }

  /**
   * Returns the oldest administrator that is not blocked. On the first start it creates one, which
   * signs in by token and therefore has no password.
   */
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

/** @throws DomainError `registration_closed`, `invitation_needed` */
function expectRegistration(mode: RegistrationMode, invitation: string | undefined): void {
  if (mode === 'closed') throw registrationClosed();
  if (mode !== 'invitation' || invitation !== undefined) return;
  throw new DomainError(
    'forbidden',
    'invitation_needed',
    'You need an invitation to register. Ask an administrator for one, and open its link.',
  );
}

export const registrationClosed = (): DomainError =>
  new DomainError(
    'forbidden',
    'registration_closed',
    'This service does not create accounts this way. Ask an administrator for access.',
  );

/** Throws if the account is blocked. @throws DomainError `account_blocked` */
export function expectNotBlocked({ blockedAt }: User): void {
  if (!blockedAt) return;
  throw new DomainError('forbidden', 'account_blocked', 'This account is blocked. Contact an administrator.');
}

export const accountTaken = (): DomainError =>
  new DomainError('conflict', 'account_taken', 'An account with this username or email address already exists.');
