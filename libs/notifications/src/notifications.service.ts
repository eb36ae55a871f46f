import {
  type ChangeNotificationSettings,
  NOTIFICATION_KINDS,
  type NotificationKind,
  type NotificationList,
  type NotificationView,
  type ReadNotifications,
} from '@assay/contracts/people';
import { firstPage, newId } from '@assay/kernel';
import { EntityManager } from '@mikro-orm/postgresql';
import { Injectable } from '@nestjs/common';
import { DEFAULT_CHANNELS, type NotificationChannels, NotificationSettings } from './notification-settings.js';
import { notificationTitle, UserNotification } from './user-notification.js';

export interface WhichNotifications {
  readonly unread?: boolean | undefined;
  readonly limit: number;
  /** The ID of the last notification of the previous page. */
  readonly cursor?: string | undefined;
}

/** Lists notifications and changes their settings. */
@Injectable()
export class NotificationsService {
  constructor(private readonly em: EntityManager) {}

  /** Lists the newest first. */
  async list(user: string, { unread, limit, cursor }: WhichNotifications): Promise<NotificationList> {
    const em = this.em.fork();
    const found = await em.find(
      UserNotification,
      {
        user,
        app: true,
        ...(unread !== undefined && { readAt: unread ? null : { $ne: null } }),
        ...(cursor !== undefined && { id: { $lt: cursor } }),
      },
      { orderBy: { id: 'desc' }, limit: limit + 1 },
    );
    const { items, ...next } = firstPage(found, { limit }, ({ id }) => id);
    return {
      items: items.map(notificationView),
      unread: await em.count(UserNotification, { user, app: true, readAt: null }),
      ...next,
    };
  }

  /** Marks notifications as read. Ignores notifications of other users. */
  async read(user: string, which: ReadNotifications): Promise<void> {
    await this.em
      .fork()
      .nativeUpdate(
        UserNotification,
        { user, readAt: null, ...('ids' in which && { id: { $in: which.ids } }) },
        { readAt: new Date() },
      );
  }

  async settings(user: string): Promise<Record<NotificationKind, NotificationChannels>> {
    const settings = await this.em.fork().findOne(NotificationSettings, { user });
    return Object.fromEntries(
      NOTIFICATION_KINDS.map((kind) => [kind, settings?.channels(kind) ?? DEFAULT_CHANNELS]),
    ) as Record<NotificationKind, NotificationChannels>;
  }

  async changeSettings(user: string, { kinds: changes }: ChangeNotificationSettings): Promise<void> {
    const kinds = await this.settings(user);
    for (const kind of NOTIFICATION_KINDS) {
      const { app = kinds[kind].app, mail = kinds[kind].mail } = changes[kind] ?? {};
      kinds[kind] = { app, mail };
    }
    await this.em
      .fork()
      .upsert(
        NotificationSettings,
        { id: newId(), user, kinds },
        { onConflictFields: ['user'], onConflictMergeFields: ['kinds'] },
      );
  }
}

function notificationView(notification: UserNotification): NotificationView {
  const { id, kind, data, createdAt, readAt } = notification;
  return {
    id,
    kind,
    title: notificationTitle(kind, data),
    task: data.task ?? null,
    round: data.round ?? null,
    model: data.model?.id ?? null,
    annotation: data.annotation ?? null,
    at: createdAt.toISOString(),
    readAt: readAt?.toISOString() ?? null,
  };
}
