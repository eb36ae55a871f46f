import { preparedRows, Repository } from '@assay/persistence/queries';
import type { Credential } from './credential.js';
import { isVerified, type Principal, type VerificationFacts } from './user.js';

/** A credential and its user. */
export interface Holder
  extends
    Pick<Credential, 'id' | 'kind' | 'createdAt' | 'lastUsedAt' | 'expiresAt'>,
    Pick<Principal, 'userId' | 'username' | 'role' | 'isVerified' | 'scope'> {
  readonly isBlocked: boolean;
}

/** A row as the driver returns it, with times as texts. */
type HolderRow = Omit<Holder, 'isVerified' | 'createdAt' | 'lastUsedAt' | 'expiresAt'> &
  Pick<VerificationFacts, keyof VerificationFacts> &
  Record<'hash' | 'createdAt', string> &
  Record<'lastUsedAt' | 'expiresAt', string | null>;

/** The credentials of the database. */
export class CredentialRepository extends Repository {
  /**
   * Returns the credentials with these hashes, by hash. This runs with every request, so it reads
   * many at once and creates no entities, which would take longer than everything else here.
   */
  async holders(hashes: readonly string[]): Promise<ReadonlyMap<string, Holder>> {
    const rows = await preparedRows<HolderRow>(
      this.em,
      `select c.hash, c.id, c.kind, c.scope, c.created_at as "createdAt", c.last_used_at as "lastUsedAt", c.expires_at as "expiresAt",
          c.user_id as "userId", u.username, u.role, u.blocked_at is not null as "isBlocked",
          u.email_verified_at as "emailVerifiedAt", u.invitation_id as "invitation", u.verified_at as "verifiedAt"
         from credential c join user_account u on u.id = c.user_id where c.hash = any($1)`,
      [hashes],
    );
    return new Map(rows.map((row) => [row.hash, holderIn(row)]));
  }
}

function holderIn(row: HolderRow): Holder {
  const { id, kind, scope, userId, username, role, isBlocked, createdAt, lastUsedAt, expiresAt } = row;
  const dateOf = (text: string | null): Date | null => (text === null ? null : new Date(text));
  return {
    ...{ id, kind, scope, userId, username, role, isBlocked },
    isVerified: isVerified(row),
    createdAt: new Date(createdAt),
    lastUsedAt: dateOf(lastUsedAt),
    expiresAt: dateOf(expiresAt),
  };
}
