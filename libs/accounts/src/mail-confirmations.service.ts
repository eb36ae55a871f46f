import { randomBytes } from 'node:crypto';
import { hashOf, User } from '@assay/identity';
import { DomainError, RefusedForNow, secondsUntil } from '@assay/kernel';
import { Outbox } from '@assay/persistence/outbox';
import { EntityManager, LockMode } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { MailConfirmation } from './mail-confirmation.js';

const DAY = 86_400_000;
/**
 * The largest number of confirmation mails per account in 24 hours, because the address may belong
 * to somebody else.
 */
const MOST_IN_A_DAY = 3;

/**
 * Confirms that the mail address of an account belongs to its holder, by a link that is mailed
 * there.
 */
@Injectable()
export class MailConfirmationsService {
  constructor(private readonly em: EntityManager) {}

  /**
   * Requests a mail with a confirmation link to the address of the account.
   * @throws DomainError `mail_confirmed`, RefusedForNow `too_many_confirmations`
   */
  async ask(userId: string, now = new Date()): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const user = await em.findOneOrFail(User, userId, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (user.emailVerifiedAt) {
        throw new DomainError('conflict', 'mail_confirmed', 'Your email address is already confirmed.');
      }
      const since = new Date(now.getTime() - DAY);
      const asked = await em.find(
        MailConfirmation,
        { user, createdAt: { $gt: since } },
        { orderBy: { createdAt: 'desc' }, limit: MOST_IN_A_DAY },
      );
      if (asked.length === MOST_IN_A_DAY) {
        const seconds = secondsUntil(new Date(asked.at(-1)!.createdAt.getTime() + DAY), now);
        const text = `You requested ${MOST_IN_A_DAY} confirmation mails in 24 hours, the limit. Wait ${seconds} s.`;
        throw new RefusedForNow('too_many_confirmations', text, seconds);
      }
      await em.nativeDelete(MailConfirmation, { user, createdAt: { $lte: since } });
      const { id } = em.create(MailConfirmation, { user, createdAt: now }, { persist: true });
      Outbox.add(em, 'mail.confirmation', { confirmationId: id });
    });
  }

  /**
   * Confirms the address for which the link with this secret was sent.
   * @throws DomainError `confirmation_ended`
   */
  async confirm(secret: string, now = new Date()): Promise<void> {
    await this.em.fork().transactional(async (em) => {
      const sent = { hash: hashOf(secret), sentAt: { $gt: new Date(now.getTime() - DAY) } };
      const { user } = await em.findOneOrFail(MailConfirmation, sent, { failHandler: ended });
      await em.nativeUpdate(User, user.id, { emailVerifiedAt: now });
      await em.nativeDelete(MailConfirmation, { user });
    });
  }
}

/**
 * Returns a link to mail, or null if it is no longer needed. Calling `sent` stores the new secret
 * and so invalidates a link that an earlier attempt may have sent.
 */
export async function confirmationLink(
  em: EntityManager,
  confirmationId: string,
): Promise<{ readonly user: User; readonly secret: string; sent(): Promise<void> } | null> {
  const confirmation = await em.findOne(MailConfirmation, confirmationId, { populate: ['user'] });
  if (!confirmation || confirmation.sentAt || confirmation.user.deletedAt) return null;
  const secret = randomBytes(32).toString('base64url');
  return {
    user: confirmation.user,
    secret,
    async sent() {
      confirmation.hash = hashOf(secret);
      confirmation.sentAt = new Date();
      await em.flush();
    },
  };
}

const ended = (): DomainError =>
  new DomainError('forbidden', 'confirmation_ended', 'This link is no longer valid. Request another under "Account".');
