import type { AuditEntryList, AuditView, WhichEntries } from '@assay/contracts/operations';
import { User } from '@assay/identity';
import { AuditEntry } from '@assay/identity/audit';
import { EntityManager, type FilterQuery } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { firstPage } from '../routes.js';

/** Reads the audit log. */
@Injectable()
export class AuditEntries {
  constructor(private readonly em: EntityManager) {}

  /** Returns a page of the matching entries, newest first. */
  async list(which: WhichEntries): Promise<AuditEntryList> {
    const em = this.em.fork();
    const found = await em.find(AuditEntry, await conditionOf(em, which), {
      orderBy: { id: 'desc' },
      limit: which.limit + 1,
    });
    const usernames = await usernamesOf(em, found);
    return firstPage(found, which, (entry) => auditView(entry, usernames));
  }
}

async function conditionOf(
  em: EntityManager,
  { actor, action, subject, cursor }: WhichEntries,
): Promise<FilterQuery<AuditEntry>> {
  return {
    ...(actor !== undefined && { actor: await accountOf(em, actor) }),
    ...(action !== undefined && { action }),
    ...(subject !== undefined && { subjectId: subject }),
    ...(cursor !== undefined && { id: { $lt: cursor } }),
  };
}

/**
 * Returns the ID of an account by ID or username. For an unknown username, returns the largest
 * UUID, which no account has, so that no entry matches.
 */
async function accountOf(em: EntityManager, named: string): Promise<string> {
  if (z.guid().safeParse(named).success) return named;
  const user = await em.findOne(User, { usernameKey: named.toLowerCase() });
  return user?.id ?? 'ffffffff-ffff-ffff-ffff-ffffffffffff';
}

/** Returns the usernames of the actors and subjects by account ID, without deleted accounts. */
async function usernamesOf(em: EntityManager, entries: readonly AuditEntry[]): Promise<ReadonlyMap<string, string>> {
  const ids = entries.flatMap(({ actor, subjectKind, subjectId }) => [
    ...(actor ? [actor] : []),
    ...(subjectKind === 'account' ? [subjectId] : []),
  ]);
  const users = await em.find(User, { id: { $in: [...new Set(ids)] }, deletedAt: null });
  return new Map(users.map(({ id, username }) => [id, username]));
}

const auditView = (entry: AuditEntry, usernames: ReadonlyMap<string, string>): AuditView => ({
  id: entry.id,
  at: entry.at.toISOString(),
  actor: entry.actor ? { id: entry.actor, username: usernames.get(entry.actor) ?? null } : null,
  action: entry.action,
  subject: {
    kind: entry.subjectKind,
    id: entry.subjectId,
    name: entry.subjectName ?? usernames.get(entry.subjectId) ?? null,
  },
  from: entry.from ?? null,
  to: entry.to ?? null,
  network: entry.network ?? null,
});
