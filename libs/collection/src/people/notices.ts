import type { NotificationKind } from '@assay/contracts';
import { User } from '@assay/identity';
import type { Jobs } from '@assay/jobs';
import { newId } from '@assay/kernel';
import type { EntityManager } from '@mikro-orm/postgresql';
import { DEFAULT_CHANNELS, NotificationSettings } from './notification-settings.js';
import { type NotificationData, UserNotification } from './user-notification.js';

/** Something that happened, as people are told of it. */
export interface Notice {
  readonly kind: NotificationKind;
  /** Of what happened: nobody is told of the same twice. */
  readonly key: string;
  readonly data: NotificationData;
}

const AT_ONCE = 500;
/** What could not be sent for so long is not sent any more. */
const MAIL_HOURS = 24;

/** Tells people of it, each where they want to be told. Repeating it changes nothing. */
export async function notify(em: EntityManager, notice: Notice, userIds: readonly string[]): Promise<void> {
  for (let start = 0; start < userIds.length; start += AT_ONCE) {
    await notifySome(em, notice, userIds.slice(start, start + AT_ONCE));
  }
}

/** Rings for the mails of a notice, or of all notices, that are still to be sent. */
export async function ringForMails(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>, key?: string): Promise<void> {
  const rows = await em.execute<{ id: string }[]>(
    `select n.id from notification n join user_account u on u.id = n.user_id
      where n.mail and n.mailed_at is null and n.created_at > now() - make_interval(hours => ?)
       and u.email_verified_at is not null and (?::text is null or n.key = ?::text) order by n.id`,
    [MAIL_HOURS, key ?? null, key ?? null],
  );
  for (const { id } of rows) await jobs.enqueue('mail', { notificationId: id }, { jobId: `mail-${id}` });
}

/** Rings for the mails, still to be sent, that ask whether an address is its holder's. */
export async function ringForConfirmations(em: EntityManager, jobs: Pick<Jobs, 'enqueue'>): Promise<void> {
  const rows = await em.execute<{ id: string }[]>(
    `select id from mail_confirmation where sent_at is null and created_at > now() - make_interval(hours => ?) order by id`,
    [MAIL_HOURS],
  );
  for (const { id } of rows) await jobs.enqueue('mail', { confirmationId: id }, { jobId: `mail-${id}` });
}

async function notifySome(em: EntityManager, { kind, key, data }: Notice, userIds: readonly string[]): Promise<void> {
  const people = await em.find(User, {
    id: { $in: [...userIds] },
    // who came by a link of a crowd has no account to be told at
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
