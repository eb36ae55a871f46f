import { confirmationLink } from '@assay/accounts';
import { notificationTitle, NotificationSettings, UserNotification } from '@assay/notifications';
import type { EntityManager } from '@mikro-orm/postgresql';
import { createTransport } from 'nodemailer';

export interface MailSettings {
  /** Such as `smtp://host:port` or `smtps://user:password@host:port`. */
  readonly url: string;
  readonly from: string;
  /** The address at which users reach the service. */
  readonly publicUrl: string;
}

/**
 * Timeouts of the SMTP connection: a silent server delays the following mails no longer than this.
 */
const PATIENCE_MILLISECONDS = 10_000;

/** Sends notifications by SMTP, in plain text. */
export class MailDelivery {
  private readonly transport: ReturnType<typeof createTransport>;

  constructor(private readonly settings: MailSettings) {
    this.transport = createTransport({
      url: settings.url,
      connectionTimeout: PATIENCE_MILLISECONDS,
      greetingTimeout: PATIENCE_MILLISECONDS,
      socketTimeout: PATIENCE_MILLISECONDS,
    });
  }

  /**
   * Sends a notification unless it was sent already or is no longer wanted. Sends only to confirmed
   * addresses. After a crash between sending and recording, it is sent again under the same
   * Message-ID.
   * @throws the error of the SMTP server or connection; the caller retries later
   */
  async deliver(em: EntityManager, notificationId: string): Promise<void> {
    const notification = await em.findOne(UserNotification, notificationId, { populate: ['user'] });
    if (!notification?.mail || notification.mailedAt) return;
    const { kind, user } = notification;
    const settings = await em.findOne(NotificationSettings, { user });
    if (user.deletedAt || !user.emailVerifiedAt || settings?.channels(kind).mail === false) return;
    await this.transport.sendMail({
      from: this.settings.from,
      to: user.email,
      subject: `Assay: ${subjectOf(notification)}`,
      text: this.text(notification),
      messageId: `<${notification.id}@${new URL(this.settings.publicUrl).hostname}>`,
    });
    notification.mailedAt = new Date();
    await em.flush();
  }

  /**
   * Sends the link that confirms a mail address, unless it was sent already. The user name is the
   * only user-supplied text in the mail.
   * @throws the error of the SMTP server or connection; the caller retries later
   */
  async askToConfirm(em: EntityManager, confirmationId: string): Promise<void> {
    const link = await confirmationLink(em, confirmationId);
    if (!link) return;
    const { publicUrl } = this.settings;
    await this.transport.sendMail({
      from: this.settings.from,
      to: link.user.email,
      subject: 'Assay: confirm your email address',
      text: [
        `Somebody created the account "${link.user.username}" at ${publicUrl} with this email address.`,
        `If that was you, confirm the address within a day: ${publicUrl}/confirm-mail#${link.secret}`,
        'If it was not you, ignore this message. Notifications are only sent to confirmed addresses.',
      ].join('\n\n'),
      messageId: `<${confirmationId}@${new URL(publicUrl).hostname}>`,
    });
    await link.sent();
  }

  close(): void {
    this.transport.close();
  }

  private text({ kind, data, user }: UserNotification): string {
    const { publicUrl } = this.settings;
    return [
      `Hello ${user.username},`,
      notificationTitle(kind, data),
      `More: ${publicUrl}/api/v1${addressOf(data)}`,
      `You receive this email because "${kind}" notifications are turned on. Turn them off at ${publicUrl}/api/v1/me/notification-settings.`,
    ].join('\n\n');
  }
}

/** Returns the subject on one line, so that a line break in a name cannot inject a header. */
const subjectOf = ({ kind, data }: UserNotification): string =>
  notificationTitle(kind, data).replace(/\s+/g, ' ').slice(0, 150);

function addressOf({ task, round, model, annotation, webhook }: UserNotification['data']): string {
  if (webhook) return '/me/webhooks';
  if (annotation !== undefined) return `/annotations/${annotation}`;
  if (model) return `/models/${model.id}`;
  return `/tasks/${task}/rounds/${round}`;
}
