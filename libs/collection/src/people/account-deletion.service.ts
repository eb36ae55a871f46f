import { randomBytes } from 'node:crypto';
import type { AccountDeleted, DeleteAccount } from '@assay/contracts';
import { AccountsService, AuditLog, expectAnotherAdministrator, type Principal, User } from '@assay/identity';
import { LockMode } from '@mikro-orm/core';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { removeTexts } from './removed-texts.js';

/** The tables whose rows are deleted with the account, because they concern nobody else. */
const OWN_TABLES = [
  'credential',
  'external_identity',
  'mail_confirmation',
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
  'webhook',
] as const;

/** Deletes accounts: removes what a person gave, or keeps it without a link to them. */
@Injectable()
export class AccountDeletionService {
  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountsService,
  ) {}

  /**
   * Permanently deletes everything that identifies the person. Examples, validations, models and
   * boards stay, without a link to them.
   * @throws DomainError `wrong_password`, `recent_sign_in_needed`, `too_many_attempts`,
   *   `last_administrator`
   */
  async delete(principal: Principal, { text, password }: DeleteAccount, now = new Date()): Promise<AccountDeleted> {
    await this.accounts.expectProof(principal, password, now);
    return this.em.fork().transactional(async (em) => {
      const user = await em.findOneOrFail(User, principal.userId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      await expectAnotherAdministrator(em, user);
      const frozen = await frozenExamples(em, user.id);
      if (text === 'remove') await removeTexts(em, user.id, now);
      // unanswered assignments become available to other validators
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

/** Anonymises the user. The username and the e-mail address become available again. */
function forget(user: User, now: Date): void {
  const name = `deleted-${randomBytes(12).toString('hex')}`;
  user.username = name;
  user.usernameKey = name;
  user.email = `${name}@deleted.invalid`;
  user.emailVerifiedAt = null;
  user.passwordHash = null;
  user.role = 'user';
  user.deletedAt = now;
}
