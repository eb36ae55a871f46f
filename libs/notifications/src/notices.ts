import { MailConfirmationRepository } from '@assay/accounts';
import type { NotificationKind } from '@assay/contracts/people';
import { User } from '@assay/identity';
import type { Jobs } from '@assay/jobs';
import { newId } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DEFAULT_CHANNELS, NotificationSettings } from './notification-settings.js';
import { type NotificationData, UserNotification } from './user-notification.js';
import { UserNotificationRepository } from './user-notification.repository.js';

/** An occurrence that people are notified of. */
export interface Notice {
  readonly kind: NotificationKind;
  /** Identifies the occurrence: a user gets at most one notification with this key. */
  readonly key: string;
  readonly data: NotificationData;
}

const AT_ONCE = 500;
/** Hours after which an unsent mail is not sent any more. */
const MAIL_HOURS = 24;

/** Stores a notification for each user, on the channels that they chose. Idempotent. */
export async function notify(em: EntityManager, notice: Notice, userIds: readonly string[]): Promise<void> {
  for (let start = 0; start < userIds.length; start += AT_ONCE) {
    await notifySome(em, notice, userIds.slice(start, start + AT_ONCE));
  }
}

/** Enqueues the unsent mails of the notice with this key, or of all notices. */
export async function enqueueMails(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>, key?: string): Promise<void> {
  for (const id of await new UserNotificationRepository(em).unsentMails(MAIL_HOURS, key)) {
    await jobs.enqueue('mail', { notificationId: id }, { jobId: `mail-${id}` });
  }
}

/** Enqueues the unsent mails that ask people to confirm their e-mail address. */
export async function enqueueConfirmations(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  for (const id of await new MailConfirmationRepository(em).unsent(MAIL_HOURS)) {
    await jobs.enqueue('mail', { confirmationId: id }, { jobId: `mail-${id}` });
  }
}

async function notifySome(em: EntityManager, { kind, key, data }: Notice, userIds: readonly string[]): Promise<void> {
  const people = await em.find(User, {
    id: { $in: [...userIds] },
    // crowd workers come by a link and have no account to notify
    role: { $in: ['user', 'administrator'] },
    deletedAt: null,
  });
  const ids = people.map(({ id }) => id);
  const settings = await em.find(NotificationSettings, { user: { $in: ids } });
  const channels = new Map(settings.map((each) => [each.user.id, each.channels(kind)]));
  const rows = ids.flatMap((user) => {
    const { app, mail } = channels.get(user) ?? DEFAULT_CHANNELS;
    return app || mail ? [{ id: newId(), user, kind, key, data, app, mail, createdAt: new Date() }] : [];
  });
  if (rows.length === 0) return;
  await em.upsertMany(UserNotification, rows, { onConflictFields: ['key', 'user'], onConflictAction: 'ignore' });
}
