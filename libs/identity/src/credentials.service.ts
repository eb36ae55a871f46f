import { createHash, randomBytes } from 'node:crypto';
import type { TokenScope } from '@assay/contracts';
import { DomainError } from '@assay/kernel';
import { batchedReads, preparedRows } from '@assay/persistence';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable, Logger } from '@nestjs/common';
import { type Actor, AuditLog, type AuditRecord } from './audit-log.js';
import { Credential, type SignInMethod } from './credential.js';
import type { Principal } from './principal.js';
import { lockUser, type User } from './user.js';

const PREFIX = 'assay_';
const DAY = 86_400_000;
/** A session ends after so long, used or not. */
const SESSION_DAYS = 30;
/** A session that is not used for so long ends. */
const IDLE_DAYS = 7;
/** A use is noted at most this often: not a write with every request. */
const USE_RESOLUTION = 60_000;

/** Tokens of one user. */
const MOST_TOKENS = 50;

/** A secret as its holder gets it, once. */
export interface IssuedCredential {
  readonly credential: Credential;
  readonly secret: string;
}

interface Issue {
  readonly expiresAt?: Date | null;
  readonly address?: string | null;
  readonly scope?: TokenScope;
  /** By what a session is begun. */
  readonly method?: SignInMethod | null;
  /** When whoever begins a session proved who they are. */
  readonly provenAt?: Date | null;
  /** Who asked for a token; default: the platform made it. */
  readonly by?: Actor;
  /** The token by which it is asked for: it ends with that, and no later. */
  readonly parent?: Credential | null;
}

/** What of a credential says until when it is taken. */
type Term = Pick<Credential, 'kind' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>;

/** A credential with who holds it. */
interface Holder extends Term, Pick<Principal, 'userId' | 'username' | 'role' | 'scope'> {
  readonly id: string;
  readonly isBlocked: boolean;
}

interface HolderRow {
  readonly hash: string;
  readonly id: string;
  readonly kind: Credential['kind'];
  readonly scope: TokenScope;
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly user_id: string;
  readonly username: string;
  readonly role: User['role'];
  readonly blocked: boolean;
}

@Injectable()
export class CredentialsService {
  private readonly logger = new Logger(CredentialsService.name);
  private readonly holderOf = batchedReads((hashes) => this.holders(hashes));
  /** Credentials whose use is being noted. */
  private readonly noting = new Set<string>();
  private notedAgainFrom = 0;

  constructor(private readonly em: EntityManager) {}

  /** @param more when it expires: default: a session after 30 days, a token never; what for; and from where it was begun */
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

  /** Who holds `secret`; null where nobody does (any more), or who does is blocked. */
  async authenticate(secret: string): Promise<Principal | null> {
    if (!secret.startsWith(PREFIX)) return null;

    const holder = await this.holderOf(hashOf(secret));
    const now = new Date();
    if (!holder || hasEnded(holder, now) || holder.isBlocked) return null;
    await this.noteUse(holder, now);
    const { id, userId, username, role, scope } = holder;
    return { userId, username, role, credentialId: id, scope };
  }

  /** The token by which somebody is here, or that began the session by which they are; null: none did. */
  async tokenOf({ credentialId }: Principal): Promise<Credential | null> {
    const credential = await this.em.findOneOrFail(Credential, credentialId, { populate: ['parent'] });
    return credential.kind === 'token' ? credential : (credential.parent ?? null);
  }

  async listTokens(userId: string): Promise<Credential[]> {
    return this.em.find(Credential, { user: userId, kind: 'token' }, { orderBy: { createdAt: 'asc' } });
  }

  /** Makes a token worthless, and with it all that was made by it. */
  async revoke(principal: Principal, credentialId: string): Promise<void> {
    const { userId } = principal;
    await this.em.fork().transactional(async (em) => {
      const revoked = await em.nativeDelete(Credential, { id: credentialId, user: userId, kind: 'token' });
      if (revoked === 0) throw DomainError.notFound('token');
      AuditLog.record(em, principal, { action: 'token.revoked', ...ofToken(credentialId, userId) });
    });
  }

  /** Ends the session by which somebody is here; a token stays until it is revoked. */
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

  /** With every request, and so for many at once, and without entities: to make them takes longer than all else that is done here. */
  private async holders(hashes: readonly string[]): Promise<ReadonlyMap<string, Holder>> {
    const rows = await preparedRows<HolderRow>(
      this.em.fork(),
      `select c.hash, c.id, c.kind, c.scope, c.created_at, c.last_used_at, c.expires_at, c.user_id, u.username, u.role,
          u.blocked_at is not null as blocked
         from credential c join user_account u on u.id = c.user_id where c.hash = any($1)`,
      [hashes],
    );
    return new Map(rows.map((row) => [row.hash, holderIn(row)]));
  }

  /**
   * One request of a credential notes its use, and those that come meanwhile do not wait for each other's. Nobody is refused because it can't be noted:
   * that a disk is full is no reason to read nothing.
   */
  private async noteUse({ id, lastUsedAt }: Pick<Credential, 'id' | 'lastUsedAt'>, now: Date): Promise<void> {
    const last = lastUsedAt?.getTime() ?? 0;
    if (now.getTime() - last < USE_RESOLUTION || this.noting.has(id) || now.getTime() < this.notedAgainFrom) return;
    this.noting.add(id);
    try {
      await this.em.nativeUpdate(Credential, { id }, { lastUsedAt: now });
    } catch (error) {
      this.notedAgainFrom = now.getTime() + USE_RESOLUTION;
      this.logger.warn(`the use of tokens and sessions can't be noted, and is not for a minute: ${String(error)}`);
    } finally {
      this.noting.delete(id);
    }
  }
}

function holderIn(row: HolderRow): Holder {
  const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
  return {
    id: row.id,
    kind: row.kind,
    scope: row.scope,
    createdAt: new Date(row.created_at),
    lastUsedAt: dateOf(row.last_used_at),
    expiresAt: dateOf(row.expires_at),
    userId: row.user_id,
    username: row.username,
    role: row.role,
    isBlocked: row.blocked,
  };
}

function earlier(one: Date | null, other: Date | null): Date | null {
  if (!one || !other) return one ?? other;
  return one < other ? one : other;
}

/** A sign-in is a use. */
export const lastUse = ({ lastUsedAt, createdAt }: Pick<Term, 'lastUsedAt' | 'createdAt'>): Date =>
  lastUsedAt ?? createdAt;

/** From when on it is not taken, if it is not used until then; null: it is taken until it is revoked. */
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

/** Ends all tokens of somebody but the one by which they are here. */
export async function revokeTokens(em: EntityManager, principal: Principal): Promise<void> {
  const { userId, credentialId } = principal;
  const tokens = await em.find(Credential, { user: userId, kind: 'token', id: { $ne: credentialId } });
  for (const { id } of tokens) AuditLog.record(em, principal, { action: 'token.revoked', ...ofToken(id, userId) });
  await em.nativeDelete(Credential, { id: { $in: tokens.map(({ id }) => id) } });
}

/** Counted one after the other, where they are made at once. @throws DomainError `too_many_tokens` */
async function expectFewTokens(em: EntityManager, user: string): Promise<void> {
  await lockUser(em, user);
  if ((await em.count(Credential, { user, kind: 'token' })) < MOST_TOKENS) return;
  throw new DomainError(
    'conflict',
    'too_many_tokens',
    `You have ${MOST_TOKENS} tokens, which is as many as there may be: revoke one that is not used any more.`,
  );
}

/** A token's own name is its holder's, and goes with the account. */
const ofToken = (id: string, account: string): Pick<AuditRecord, 'subject' | 'to'> => ({
  subject: { kind: 'token', id },
  to: { account },
});

export const hashOf = (secret: string): string => createHash('sha256').update(secret).digest('hex');
