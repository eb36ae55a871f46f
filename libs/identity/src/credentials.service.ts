import { createHash, randomBytes } from 'node:crypto';
import { DomainError } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type Actor, AuditLog, type AuditRecord } from './audit-log.js';
import { Credential } from './credential.js';
import type { Principal } from './principal.js';
import type { User } from './user.js';

const PREFIX = 'assay_';
const SESSION_DAYS = 30;
const DAY = 86_400_000;
/** A use is noted at most this often: not a write with every request. */
const USE_RESOLUTION = 60_000;

/** A secret as its holder gets it, once. */
export interface IssuedCredential {
  readonly credential: Credential;
  readonly secret: string;
}

interface Issue {
  readonly expiresAt?: Date | null;
  readonly address?: string | null;
  /** Who asked for a token; default: the platform made it. */
  readonly by?: Actor;
}

@Injectable()
export class CredentialsService {
  constructor(private readonly em: EntityManager) {}

  /** @param more when it expires: default: a session after 30 days, a token never; and from where it was begun */
  async issue(
    user: User,
    kind: Credential['kind'],
    name: string,
    {
      expiresAt = kind === 'session' ? new Date(Date.now() + SESSION_DAYS * DAY) : null,
      address = null,
      by = null,
    }: Issue = {},
  ): Promise<IssuedCredential> {
    const secret = PREFIX + randomBytes(32).toString('base64url');
    const credential = this.em.create(Credential, { user, kind, name, hash: hashOf(secret), expiresAt, address });
    if (kind === 'token') AuditLog.record(this.em, by, { action: 'token.made', ...ofToken(credential.id, user.id) });
    await this.em.flush();
    return { credential, secret };
  }

  /** Who holds `secret`; null where nobody does (any more), or who does is blocked. */
  async authenticate(secret: string): Promise<Principal | null> {
    if (!secret.startsWith(PREFIX)) return null;

    const credential = await this.em.findOne(Credential, { hash: hashOf(secret) }, { populate: ['user'] });
    if (!credential || (credential.expiresAt && credential.expiresAt.getTime() < Date.now())) return null;
    const { user } = credential;
    if (user.blockedAt) return null;
    await this.noteUse(credential);
    return { userId: user.id, username: user.username, role: user.role, credentialId: credential.id };
  }

  async listTokens(userId: string): Promise<Credential[]> {
    return this.em.find(Credential, { user: userId, kind: 'token' }, { orderBy: { createdAt: 'asc' } });
  }

  async revoke(principal: Principal, credentialId: string): Promise<void> {
    const { userId } = principal;
    await this.em.fork().transactional(async (em) => {
      const revoked = await em.nativeDelete(Credential, { id: credentialId, user: userId, kind: 'token' });
      if (revoked === 0) throw DomainError.notFound('token');
      AuditLog.record(em, principal, { action: 'token.revoked', ...ofToken(credentialId, userId) });
    });
  }

  /** Ends the session by which `principal` is here; a token stays until it is revoked. */
  async endSession({ userId, credentialId }: Principal): Promise<void> {
    await this.em.nativeDelete(Credential, { id: credentialId, user: userId, kind: 'session' });
  }

  private async noteUse(credential: Credential): Promise<void> {
    const last = credential.lastUsedAt?.getTime() ?? 0;
    if (Date.now() - last < USE_RESOLUTION) return;
    await this.em.nativeUpdate(Credential, { id: credential.id }, { lastUsedAt: new Date() });
  }
}

/** A token's own name is its holder's, and goes with the account. */
const ofToken = (id: string, account: string): Pick<AuditRecord, 'subject' | 'to'> => ({
  subject: { kind: 'token', id },
  to: { account },
});

const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
