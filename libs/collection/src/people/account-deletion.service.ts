import { randomBytes } from 'node:crypto';
import type { AccountDeleted, DeleteAccount } from '@assay/contracts';
import {
  AccountsService,
  AuditLog,
  Credential,
  expectAnotherAdministrator,
  type Principal,
  User,
} from '@assay/identity';
import { DomainError } from '@assay/kernel';
import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { removeTexts } from './removed-texts.js';

const FRESH_MILLISECONDS = 15 * 60_000;

/** What goes with the account, by table: it is of nobody but the person. */
const OWN_TABLES = [
  'credential',
  'profile',
  'consent',
  'consent_record',
  'notification',
  'notification_settings',
  'badge_award',
  'appeal',
  'assignment',
  'context_mark',
  'participation',
] as const;

/** Takes a person out: what they gave stays without any link to them, or goes. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountsService,
  ) {}

  /**
   * Takes away everything that names the person, for good. Examples, validations, models and boards stay, of nobody.
   * @throws DomainError `wrong_password`, `fresh_token_needed`, `last_administrator`
   */
  async delete(principal: Principal, { text, password }: DeleteAccount, now = new Date()): Promise<AccountDeleted> {
    await this.expectProof(principal, password, now);
    return this.em.fork().transactional(async (em) => {
      const user = await em.findOneOrFail(User, principal.userId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      await expectAnotherAdministrator(em, user);
      const frozen = await frozenExamples(em, user.id);
      if (text === 'remove') await removeTexts(em, user.id, now);
      // what was handed out and not answered is free for others
      await em.execute('delete from validation where validator_id = ? and label is null and verdict is null', [
        user.id,
      ]);
      const annotations = await unlinked(em, 'annotation', 'annotator_id', user.id);
      const validations = await unlinked(em, 'validation', 'validator_id', user.id);
      for (const table of OWN_TABLES) await em.execute(`delete from ${table} where user_id = ?`, [user.id]);
      await em.execute(`update round set closed_by = 'by an account that was deleted' where closed_by = ?`, [
        `by ${user.username}`,
      ]);
      forget(user, now);
      AuditLog.record(em, principal, {
        action: 'account.deleted',
        subject: { kind: 'account', id: user.id },
        to: { text },
      });
      return { text, annotations, validations, frozen };
    });
  }

  /** A stolen session is not enough: the password, or, where the account has none, a token that was made just now. */
  private async expectProof(
    { userId, credentialId }: Principal,
    password: string | undefined,
    now: Date,
  ): Promise<void> {
    const em = this.em.fork();
    const user = await em.findOneOrFail(User, userId);
    if (user.passwordHash) {
      if (password !== undefined && (await this.accounts.isPassword(user, password))) return;
      throw new DomainError('forbidden', 'wrong_password', 'Send the "password" of this account to have it deleted.');
    }
    const { createdAt } = await em.findOneOrFail(Credential, credentialId);
    if (now.getTime() - createdAt.getTime() < FRESH_MILLISECONDS) return;
    throw new DomainError(
      'forbidden',
      'fresh_token_needed',
      'This account has no password: make a new token, and send this again with it within 15 minutes.',
    );
  }
}

async function frozenExamples(em: EntityManager, annotator: string): Promise<number> {
  const [row] = await em.execute<{ count: number }[]>(
    'select count(*)::int as count from annotation where annotator_id = ? and split is not null',
    [annotator],
  );
  return row?.count ?? 0;
}

async function unlinked(
  em: EntityManager,
  table: 'annotation' | 'validation',
  column: string,
  userId: string,
): Promise<number> {
  const rows = await em.execute<unknown[]>(`update ${table} set ${column} = null where ${column} = ? returning id`, [
    userId,
  ]);
  return rows.length;
}

/** The name and the address are free again. */
function forget(user: User, now: Date): void {
  const name = `deleted-${randomBytes(12).toString('hex')}`;
  user.username = name;
  user.usernameKey = name;
  user.email = `${name}@deleted.invalid`;
  user.passwordHash = null;
  user.role = 'user';
  user.deletedAt = now;
}
