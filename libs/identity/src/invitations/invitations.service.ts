import { randomBytes } from 'node:crypto';
import type { InvitationView } from '@assay/contracts/operations';
import { DomainError, type PartOfList } from '@assay/kernel';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { AuditLog, type AuditRecord } from '../audit/audit-log.js';
import { hashOf } from '../credentials.service.js';
import { Invitation } from './invitation.js';
import { InvitationRepository } from './invitation.repository.js';
import { type Principal, User } from '../user.js';

const DAYS = 14;

/** Manages the invitations to register. */
@Injectable()
export class InvitationsService {
  constructor(private readonly em: EntityManager) {}

  /** Creates an invitation that ends after 14 days. Its secret is returned only here. */
  async create(principal: Principal): Promise<{ readonly invitation: Invitation; readonly secret: string }> {
    const secret = randomBytes(32).toString('base64url');
    const endsAt = new Date(Date.now() + DAYS * 86_400_000);
    const em = this.em.fork();
    const invitation = em.create(Invitation, { hash: hashOf(secret), endsAt }, { persist: true });
    const to = { endsAt: endsAt.toISOString() };
    AuditLog.record(em, principal, { action: 'invitation.made', subject: audited(invitation), to });
    await em.flush();
    return { invitation, secret };
  }

  /** Returns one page of the invitations that are used or have not ended, newest first. */
  list(part: PartOfList): Promise<readonly InvitationView[]> {
    return new InvitationRepository(this.em.fork()).list(part);
  }

  /** Withdraws an invitation that nobody has used. @throws DomainError `not_found`, `invitation_used` */
  async withdraw(principal: Principal, id: string): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const failHandler = DomainError.missing('invitation');
      const invitation = await em.findOneOrFail(Invitation, id, { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler });
      if (await isUsed(em, invitation)) {
        throw new DomainError('conflict', 'invitation_used', 'This invitation is used. Block the account instead.');
      }
      em.remove(invitation);
      AuditLog.record(em, principal, { action: 'invitation.withdrawn', subject: audited(invitation) });
    });
  }
}

/**
 * Marks the invitation with this secret as used by a new account, in the transaction of `em`. The lock
 * makes concurrent registrations with one invitation wait for each other.
 * @throws DomainError `invitation_ended`
 */
export async function takeInvitation(em: EntityManager, user: User, secret: string): Promise<void> {
  const invitation = await em.findOneOrFail(
    Invitation,
    { hash: hashOf(secret), endsAt: { $gt: new Date() } },
    { lockMode: LockMode.PESSIMISTIC_WRITE, failHandler: ended },
  );
  if (await isUsed(em, invitation)) throw ended();
  user.invitation = invitation;
  AuditLog.record(em, { userId: user.id }, { action: 'invitation.used', subject: audited(invitation) });
}

const isUsed = async (em: EntityManager, invitation: Invitation): Promise<boolean> =>
  (await em.count(User, { invitation })) > 0;

const ended = (): DomainError =>
  new DomainError(
    'forbidden',
    'invitation_ended',
    'This invitation is used, withdrawn or more than 14 days old. Ask an administrator for another one.',
  );

const audited = ({ id }: Invitation): AuditRecord['subject'] => ({ kind: 'invitation', id });
