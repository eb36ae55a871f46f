import type { ChangeUser } from '@assay/contracts/operations';
import { type Principal, User } from '@assay/identity';
import { AuditLog } from '@assay/identity/audit';
import { DomainError } from '@assay/kernel';
import { holdAdvisoryLock } from '@assay/persistence/locks';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';

/** Changes the accounts of other users, for administrators. */
@Injectable()
export class UsersService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Changes the role, block, verification or storage limit of an account. Effective from the next request.
   * @throws DomainError `own_account`, `crowd_account`, `last_administrator`; `not_found` if the
   * account does not exist
   */
  async change(principal: Principal, id: string, { role, blocked, verified, storageLimit }: ChangeUser): Promise<void> {
    if (id === principal.userId) {
      throw new DomainError(
        'conflict',
        'own_account',
        'You cannot change your own account. Ask another administrator to change it.',
      );
    }
    await this.em.fork().transactional(async (em) => {
      const user = await em.findOneOrFail(
        User,
        { id, deletedAt: null },
        { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: DomainError.missing('account') },
      );
      if (role !== undefined && user.role === 'crowd') {
        throw new DomainError('conflict', 'crowd_account', 'Crowd workers cannot have another role.');
      }
      if (role === 'user' || blocked === true) await expectAnotherAdministrator(em, user);
      const before = factsOf(user);
      if (role !== undefined) user.role = role;
      if (blocked !== undefined) user.blockedAt = blocked ? (user.blockedAt ?? new Date()) : null;
      if (verified !== undefined) user.verifiedAt = verified ? (user.verifiedAt ?? new Date()) : null;
      if (storageLimit !== undefined) user.storageLimit = storageLimit;
      const after = factsOf(user);
      const subject = { kind: 'account' as const, id };
      for (const [name, key] of [
        ['role', 'role'],
        ['blocked', 'blocked'],
        ['verified', 'verified'],
        ['storage', 'storageLimit'],
      ] as const) {
        const changes = { from: { [key]: before[key] }, to: { [key]: after[key] } };
        AuditLog.recordChange(em, principal, { action: `account.${name}`, subject }, changes);
      }
    });
  }
}

const factsOf = ({ role, blockedAt, verifiedAt, storageLimit }: User) => ({
  role,
  blocked: Boolean(blockedAt),
  verified: Boolean(verifiedAt),
  storageLimit: storageLimit ?? null,
});

/**
 * Requires that another administrator exists besides `user`. The lock keeps this true until the
 * transaction ends.
 * @throws DomainError `last_administrator`
 */
export async function expectAnotherAdministrator(em: EntityManager, user: User): Promise<void> {
  if (user.role !== 'administrator') return;
  await holdAdvisoryLock(em, 'assay administrators');
  const others = await em.count(User, {
    role: 'administrator',
    deletedAt: null,
    blockedAt: null,
    id: { $ne: user.id },
  });
  if (others > 0) return;
  throw new DomainError(
    'conflict',
    'last_administrator',
    'This is the last administrator. Make another account an administrator first.',
  );
}
