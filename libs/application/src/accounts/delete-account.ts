import { expectAnotherAdministrator } from '@assay/accounts';
import { unlinkWork } from '@assay/collection';
import type { AccountDeleted, DeleteAccount as DeletionRequest } from '@assay/contracts/people';
import { AccountsService, type Principal, User } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { inTransaction } from '@assay/persistence/queries';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { PERSONAL_DATA } from './personal-data.js';

/**
 * Permanently deletes everything that identifies a person. Examples, validations, models and boards
 * stay, without a link to them.
 */
@Injectable()
export class DeleteAccount {
  constructor(
    private readonly em: EntityManager,
    private readonly accounts: AccountsService,
  ) {}

  /**
   * @throws DomainError `wrong_password`, `recent_sign_in_needed`, `too_many_attempts`,
   *   `last_administrator`
   */
  async execute(principal: Principal, { text, password }: DeletionRequest, at = new Date()): Promise<AccountDeleted> {
    await this.accounts.expectProof(principal, password, at);
    return inTransaction(this.em, async (em) => {
      const user = await em.findOneOrFail(User, principal.userId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      await expectAnotherAdministrator(em, user);
      const { id, username } = user;
      const erased = { id, username, text, at };
      const work = await unlinkWork(em, erased);
      for (const { erase } of PERSONAL_DATA) await erase?.(em, erased);
      AuditLog.record(em, principal, { action: 'account.deleted', subject: { kind: 'account', id }, to: { text } });
      return { text, ...work };
    });
  }
}
