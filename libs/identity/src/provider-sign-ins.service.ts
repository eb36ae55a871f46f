import { randomBytes } from 'node:crypto';
import type { RegistrationMode } from '@assay/contracts/identity';
import { DomainError } from '@assay/kernel';
import { ifDuplicate } from '@assay/persistence/queries';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { accountTaken, expectNotBlocked, isRecent, registrationClosed } from './accounts.service.js';
import { AuditLog } from './audit/audit-log.js';
import { Credential } from './credential.js';
import { hashOf } from './credentials.service.js';
import { ExternalIdentity, type ProvenPerson, ProviderSignIn, ProviderSignInRepository } from './provider-sign-in.js';
import { type Principal, User } from './user.js';

const MINUTES = 10;

/** The state that a sign-in at a provider starts with. */
type SignInBegun = Pick<ProviderSignIn, 'state' | 'nonce' | 'codeVerifier' | 'next'> &
  Readonly<Record<'linkTo' | 'replaces', string | null>>;

/** Signs users in by an OpenID provider and manages the links between accounts and providers. */
@Injectable()
export class ProviderSignInsService {
  constructor(private readonly em: EntityManager) {}

  /** Returns the secret that the browser holds for the sign-in, and when the sign-in ends. */
  async begin(
    begun: SignInBegun,
    person: ProvenPerson | null = null,
  ): Promise<{ readonly secret: string; readonly endsAt: Date }> {
    const secret = randomBytes(32).toString('base64url');
    const endsAt = new Date(Date.now() + MINUTES * 60_000);
    const em = this.em.fork();
    await new ProviderSignInRepository(em).deleteExpired();
    em.create(ProviderSignIn, { ...begun, person, hash: hashOf(secret), endsAt });
    await em.flush();
    return { secret, endsAt };
  }

  /**
   * Returns and deletes the sign-in of the browser that holds `secret`. A provider's answer is
   * accepted only once.
   * @throws DomainError `sign_in_expired`
   */
  async take(secret: string | undefined): Promise<SignInBegun> {
    return this.em.fork().transactional(async (em) => {
      const found = await this.held(em, secret);
      const taken = await em.nativeDelete(ProviderSignIn, { hash: found.hash });
      // a sign-in whose person is known has been answered already
      if (taken === 0 || found.person) throw expired();
      const { state, nonce, codeVerifier, next, linkTo = null, replaces = null } = found;
      return { state, nonce, codeVerifier, next, linkTo, replaces };
    });
  }

  /**
   * Returns the person that the provider has authenticated and who has no account yet.
   * @throws DomainError `sign_in_expired`
   */
  async newcomer(secret: string | undefined): Promise<ProvenPerson> {
    const { person } = await this.held(this.em.fork(), secret);
    if (person) return person;
    throw expired();
  }

  /**
   * Returns the user whose account is linked to this person, or null if they may register.
   * @throws DomainError `account_blocked`, `registration_closed`
   */
  async holder({ issuer, subject }: ProvenPerson, mode: RegistrationMode): Promise<User | null> {
    const identity = await this.em.fork().findOne(ExternalIdentity, { issuer, subject }, { populate: ['user'] });
    if (identity) expectNotBlocked(identity.user);
    else expectProviderRegistration(mode);
    return identity?.user ?? null;
  }

  /**
   * Creates an account for the person that the provider has authenticated.
   * @returns the user, and when they proved their identity
   * @throws DomainError `sign_in_expired`, `registration_closed`, `email_taken`, `account_taken`
   */
  async register(
    secret: string | undefined,
    username: string,
    mode: RegistrationMode,
  ): Promise<{ user: User; provenAt: Date | null }> {
    const person = await this.newcomer(secret);
    expectProviderRegistration(mode);
    const em = this.em.fork();
    const email = person.email.toLowerCase();
    if ((await em.count(User, { email })) > 0) {
      throw new DomainError(
        'conflict',
        'email_taken',
        'Your email address already has an account. Sign in with its password, then link the provider under "Account".',
      );
    }
    const user = em.create(User, {
      username,
      usernameKey: username.toLowerCase(),
      email,
      passwordHash: null,
      emailVerifiedAt: new Date(),
    });
    em.create(ExternalIdentity, { user, issuer: person.issuer, subject: person.subject });
    await em.flush().catch(ifDuplicate(accountTaken));
    await em.nativeDelete(ProviderSignIn, { hash: hashOf(secret!) });
    return { user, provenAt: provenAtOf(person) };
  }

  /**
   * Links a person at the provider to an account, which they can then sign in to by the provider.
   * @param holder the account, and the client address from which the browser returned with both
   * proofs
   * @throws DomainError `provider_sign_in_old` if the person did not authenticate recently,
   * `identity_taken`
   */
  async link(holder: Pick<Principal, 'userId' | 'address'>, person: ProvenPerson): Promise<User> {
    if (!isRecent(provenAtOf(person), new Date())) {
      throw new DomainError(
        'forbidden',
        'provider_sign_in_old',
        'The provider did not confirm a recent sign-in. Start again, and sign in again at the provider.',
      );
    }
    const { issuer, subject } = person;
    const { userId } = holder;
    const em = this.em.fork();
    const user = await em.findOneOrFail(User, { id: userId, deletedAt: null });
    expectNotBlocked(user);
    em.create(ExternalIdentity, { user, issuer, subject });
    if (person.email.toLowerCase() === user.email) user.emailVerifiedAt ??= new Date();
    const account = { kind: 'account' as const, id: userId };
    AuditLog.record(em, holder, { action: 'account.linked', subject: account, to: { issuer } });
    await em.flush().catch(ifDuplicate(identityTaken));
    return user;
  }

  /** Returns the providers that a user can sign in by, oldest link first. */
  async links(userId: string): Promise<ExternalIdentity[]> {
    return this.em.fork().find(ExternalIdentity, { user: userId }, { orderBy: { createdAt: 'asc' } });
  }

  /** @throws DomainError `not_found` if the user has no such link */
  async expectLink(userId: string, id: string): Promise<void> {
    if ((await this.em.fork().count(ExternalIdentity, { id, user: userId })) === 0) throw DomainError.notFound('link');
  }

  /**
   * Removes a link to a provider. Ends all sessions except the one that `principal` uses.
   * @throws DomainError `only_way_in`; `not_found` if the user has no such link
   */
  async unlink(principal: Principal, id: string): Promise<void> {
    const { userId, credentialId } = principal;
    await this.em.fork().transactional(async (em) => {
      // the lock ensures that one of two links that are removed concurrently remains
      const user = await em.findOneOrFail(User, userId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      const links = await em.find(ExternalIdentity, { user });
      const link = links.find((each) => each.id === id);
      if (!link) throw DomainError.notFound('link');
      if (!user.passwordHash && links.length === 1) {
        throw new DomainError(
          'conflict',
          'only_way_in',
          'This is the only way to sign in to your account. Set a password under "Account" first.',
        );
      }
      em.remove(link);
      await em.nativeDelete(Credential, { user: userId, kind: 'session', id: { $ne: credentialId } });
      const subject = { kind: 'account' as const, id: userId };
      AuditLog.record(em, principal, { action: 'account.unlinked', subject, from: { issuer: link.issuer } });
    });
  }

  private async held(em: EntityManager, secret: string | undefined): Promise<ProviderSignIn> {
    if (secret === undefined) throw expired();
    const held = { hash: hashOf(secret), endsAt: { $gt: new Date() } };
    return em.findOneOrFail(ProviderSignIn, held, { failHandler: expired });
  }
}

/**
 * Throws if people cannot register by a provider. An invitation is for a registration with a password.
 * @throws DomainError `registration_closed`
 */
function expectProviderRegistration(mode: RegistrationMode): void {
  if (mode === 'closed' || mode === 'invitation') throw registrationClosed();
}

const expired = (): DomainError =>
  new DomainError(
    'unauthenticated',
    'sign_in_expired',
    'This sign-in has expired, or it was started in another browser. Start again.',
  );

export const provenAtOf = ({ provenAt }: ProvenPerson): Date | null => (provenAt === null ? null : new Date(provenAt));

const identityTaken = (): DomainError =>
  new DomainError(
    'conflict',
    'identity_taken',
    'This account at the provider is already linked to another account of this service.',
  );
