import type { ManagedUser, ManagedUserList, WhichUsers } from '@assay/contracts/operations';
import { isVerified, type VerificationFacts } from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { likeText } from '@assay/persistence/queries';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { type RawBuilder, sql } from 'kysely';
import { firstPage } from '../routes.js';

type UserRow = Omit<ManagedUser, 'createdAt' | 'lastSeenAt' | 'blockedAt' | 'verified' | 'verifiedAt'> &
  Pick<VerificationFacts, 'emailVerifiedAt' | 'invitation'> & {
    readonly createdAt: Date | string;
    readonly lastSeenAt: Date | string | null;
    readonly blockedAt: Date | string | null;
    readonly verifiedAt: Date | string | null;
  };

const USERS = sql`
  select u.id, u.username, p.display_name as "displayName", u.email, u.role, u.created_at as "createdAt", u.blocked_at as "blockedAt", u.verified_at as "verifiedAt",
         u.email_verified_at as "emailVerifiedAt", u.invitation_id as "invitation", u.storage_limit::float8 as "storageLimit",
         (select max(c.last_used_at) from credential c where c.user_id = u.id) as "lastSeenAt",
         (select count(*)::int from task t where t.owner_id = u.id) as tasks,
         (select count(*)::int from model m where m.owner_id = u.id) as models
    from user_account u left join profile p on p.user_id = u.id
   where u.deleted_at is null`;

/** Accounts with what they own, for administrators. */
@Injectable()
export class ManagedUserRepository {
  constructor(private readonly em: EntityManager) {}

  /** Returns a page of the matching accounts, newest first. */
  async list({ query, limit, ...asked }: WhichUsers): Promise<ManagedUserList> {
    const { role, cursor } = { role: null, cursor: null, ...asked };
    const text = query === undefined ? null : `%${likeText(query)}%`;
    const rows = await this.select(
      sql`case when ${role}::text is null then u.role <> 'crowd' else u.role = ${role} end
        and (${text}::text is null or u.username ilike ${text} or p.display_name ilike ${text} or u.email ilike ${text})
        and (${cursor}::uuid is null or u.id < ${cursor}::uuid)
      order by u.id desc limit ${limit + 1}`,
    );
    return firstPage(rows, { limit }, managedUser);
  }

  /** @throws DomainError `not_found` if there is no such account */
  async get(id: string): Promise<ManagedUser> {
    const [row] = await this.select(sql`u.id = ${id}`);
    if (row) return managedUser(row);
    throw DomainError.notFound('account');
  }

  private async select(condition: RawBuilder<unknown>): Promise<readonly UserRow[]> {
    return (await sql<UserRow>`${USERS} and ${condition}`.execute(this.em.fork().getKysely())).rows;
  }
}

const managedUser = ({ emailVerifiedAt, invitation, ...row }: UserRow): ManagedUser => ({
  ...row,
  verified: isVerified({ ...row, emailVerifiedAt, invitation }),
  verifiedAt: row.verifiedAt && timeOf(row.verifiedAt),
  createdAt: timeOf(row.createdAt),
  lastSeenAt: row.lastSeenAt && timeOf(row.lastSeenAt),
  blockedAt: row.blockedAt && timeOf(row.blockedAt),
});

const timeOf = (time: Date | string): string => new Date(time).toISOString();
