import { hash, randomBytes } from 'node:crypto';
import type { TokenScope } from '@assay/contracts/identity';
import { DomainError } from '@assay/kernel';
import { batchedReads } from '@assay/persistence/queries';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { type Actor, AuditLog, type AuditRecord } from './audit/audit-log.js';
import { Credential, type SignInMethod } from './credential.js';
import { CredentialRepository } from './credential.repository.js';
import { type Principal, type User, UserRepository } from './user.js';

const PREFIX = 'assay_';
const DAY = 86_400_000;
/** The lifetime of a session in days, even if it is used. */
const SESSION_DAYS = 30;
/** The days after which an unused session ends. */
const IDLE_DAYS = 7;
/**
 * The shortest interval in milliseconds between recorded uses, so that not every request writes.
 */
const USE_RESOLUTION = 60_000;

/** The largest number of tokens per user. */
const MOST_TOKENS = 50;

/** A new credential with its secret, which its holder receives only once. */
export interface IssuedCredential {
  readonly credential: Credential;
  readonly secret: string;
}

interface Issue {
  readonly expiresAt?: Date | null;
  readonly address?: string | null;
  readonly scope?: TokenScope;
  /** The sign-in method of a session. */
  readonly method?: SignInMethod | null;
  /** The time when the user of a session proved their identity. */
  readonly provenAt?: Date | null;
  /** The user who requested a token. Default: the platform created it. */
  readonly by?: Actor;
  /** The token that requests the credential. The credential ends with it at the latest. */
  readonly parent?: Credential | null;
}

/** The fields of a credential that determine when it ends. */
type Term = Pick<Credential, 'kind' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>;

@Injectable()
export class CredentialsService {
  private readonly logger = new Logger(CredentialsService.name);
  private readonly holderOf = batchedReads((hashes) => new CredentialRepository(this.em.fork()).holders(hashes));
  /** Ids of the credentials whose use is being recorded. */
  private readonly noting = new Set<string>();
  private notedAgainFrom = 0;

  constructor(private readonly em: EntityManager) {}

  /**
   * Creates a credential.
   * @param issue by default a session expires after 30 days and a token never
   */
  async issue(
    user: User,
    kind: Credential['kind'],
    name: string,
    {
      expiresAt = kind === 'session' ? new Date(Date.now() + SESSION_DAYS * DAY) : null,
      address = null,
      scope = 'all',
      method = null,
      provenAt = null,
      by = null,
      parent = null,
    }: Issue = {},
  ): Promise<IssuedCredential> {
    const secret = PREFIX + randomBytes(32).toString('base64url');
    const endsAt = earlier(expiresAt, parent?.expiresAt ?? null);
    const row = { user, kind, name, hash: hashOf(secret), expiresAt: endsAt, address, scope, method, provenAt, parent };
    const credential = this.em.create(Credential, row, { persist: false });
    if (kind === 'token') await this.keepToken(credential, by);
    else await this.em.persist(credential).flush();
    return { credential, secret };
  }

  /**
   * Returns the user who holds `secret`, or null if it is unknown or has ended, or if the user is
   * blocked.
   */
  async authenticate(secret: string): Promise<Principal | null> {
    if (!secret.startsWith(PREFIX)) return null;

    const holder = await this.holderOf(hashOf(secret));
    const now = new Date();
    if (!holder || hasEnded(holder, now) || holder.isBlocked) return null;
    await this.noteUse(holder, now);
    const { id, userId, username, role, isVerified, scope } = holder;
    return { userId, username, role, isVerified, credentialId: id, scope };
  }

  /**
   * Returns the token that `principal` uses or that started their session, or null if there is
   * none.
   */
  async tokenOf({ credentialId }: Principal): Promise<Credential | null> {
    const credential = await this.em.findOneOrFail(Credential, credentialId, { populate: ['parent'] });
    return credential.kind === 'token' ? credential : (credential.parent ?? null);
  }

  async listTokens(userId: string): Promise<Credential[]> {
    return this.em.find(Credential, { user: userId, kind: 'token' }, { orderBy: { createdAt: 'asc' } });
  }

  /** Revokes a token and all credentials that were created with it. */
  async revoke(principal: Principal, credentialId: string): Promise<void> {
    const { userId } = principal;
    await this.em.fork().transactional(async (em) => {
      const revoked = await em.nativeDelete(Credential, { id: credentialId, user: userId, kind: 'token' });
      if (revoked === 0) throw DomainError.notFound('token');
      AuditLog.record(em, principal, { action: 'token.revoked', ...ofToken(credentialId, userId) });
    });
  }

  /** Ends the session that `principal` uses. A token remains valid until it is revoked. */
  async endSession({ credentialId }: Pick<Principal, 'credentialId'>): Promise<void> {
    await this.em.nativeDelete(Credential, { id: credentialId, kind: 'session' });
  }

  private async keepToken(token: Credential, by: Actor | null): Promise<void> {
    const { id, user, scope, expiresAt, parent } = token;
    await this.em.transactional(async (em) => {
      if (by) await expectFewTokens(em, user.id);
      const { subject, to } = ofToken(id, user.id);
      const facts = { ...to, scope, expiresAt: expiresAt?.toISOString() ?? null, ...(parent && { parent: parent.id }) };
      AuditLog.record(em, by, { action: 'token.made', subject, to: facts });
      em.persist(token);
    });
  }

  /**
   * Records the use of a credential. Only one request at a time does so for a credential;
   * concurrent requests do not wait. A failure does not reject the request, because a full disk,
   * for example, must not prevent reading.
   */
  private async noteUse({ id, lastUsedAt }: Pick<Credential, 'id' | 'lastUsedAt'>, now: Date): Promise<void> {
    const last = lastUsedAt?.getTime() ?? 0;
    if (now.getTime() - last < USE_RESOLUTION || this.noting.has(id) || now.getTime() < this.notedAgainFrom) return;
    this.noting.add(id);
    try {
      await this.em.nativeUpdate(Credential, { id }, { lastUsedAt: now });
    } catch (error) {
      this.notedAgainFrom = now.getTime() + USE_RESOLUTION;
      this.logger.warn(`cannot record when tokens and sessions are used; trying again in a minute: ${String(error)}`);
    } finally {
      this.noting.delete(id);
    }
  }
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}

/** Returns the time of the last use. The sign-in counts as a use. */
export const lastUse = ({ lastUsedAt, createdAt }: Pick<Term, 'lastUsedAt' | 'createdAt'>): Date =>
  lastUsedAt ?? createdAt;

/**
 * Returns the time when the credential ends if it is not used again, or null if it is valid until
 * revoked.
 */
export function endOf(credential: Term): Date | null {
  const { kind, expiresAt } = credential;
  if (kind === 'token') return expiresAt ?? null;
  const idle = new Date(lastUse(credential).getTime() + IDLE_DAYS * DAY);
  return expiresAt && expiresAt < idle ? expiresAt : idle;
}

export function hasEnded(credential: Term, now: Date): boolean {
  const end = endOf(credential);
  return end !== null && end <= now;
}

/** Revokes all tokens of a user except the one that they use. */
export async function revokeTokens(em: EntityManager, principal: Principal): Promise<void> {
  const { userId, credentialId } = principal;
  const tokens = await em.find(Credential, { user: userId, kind: 'token', id: { $ne: credentialId } });
  for (const { id } of tokens) AuditLog.record(em, principal, { action: 'token.revoked', ...ofToken(id, userId) });
  await em.nativeDelete(Credential, { id: { $in: tokens.map(({ id }) => id) } });
}

/**
 * Checks the user's number of tokens. Locks the user, so that concurrent requests are counted one
 * after the other.
 * @throws DomainError `too_many_tokens`
 */
async function expectFewTokens(em: EntityManager, user: string): Promise<void> {
  await new UserRepository(em).lock(user);
  if ((await em.count(Credential, { user, kind: 'token' })) < MOST_TOKENS) return;
  throw new DomainError(
    'conflict',
    'too_many_tokens',
    `You have ${MOST_TOKENS} tokens, the limit for one account. Revoke a token that you no longer use.`,
  );
}

/**
 * Returns the audit facts of a token, without its name: the name is personal and is deleted with
 * the account.
 */
const ofToken = (id: string, account: string): Pick<AuditRecord, 'subject' | 'to'> => ({
  subject: { kind: 'token', id },
  to: { account },
});

export const hashOf = (secret: string): string => hash('sha256', secret);
