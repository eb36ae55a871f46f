import { notificationTitle, NotificationSettings, UserNotification } from '@assay/collection';
import { confirmationLink } from '@assay/identity';
import type { EntityManager } from '@mikro-orm/postgresql';
import { createTransport } from 'nodemailer';

export interface MailSettings {
  /** `smtp://` or `smtps://user:password@host:port` */
  readonly url: string;
  readonly from: string;
  /** How users reach the service. */
  readonly publicUrl: string;
}

/** A server that says nothing holds up the mails behind it no longer than this. */
const PATIENCE_MILLISECONDS = 10_000;

/** Hands notifications to an SMTP server, in plain text. */
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
   * Sends a notification where it is still wanted and was not sent, to an address that its holder has confirmed alone. A crash between sending and noting it sends it again, under the same
   * Message-ID.
   * @throws what the server or the way there refused: try again later
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
   * Sends the link by which somebody confirms that the address is theirs, unless it was sent. Nothing of it but the user name is anybody's words.
   * @throws what the server or the way there refused: try again later
   */
  async askToConfirm(em: EntityManager, confirmationId: string): Promise<void> {
    const link = await confirmationLink(em, confirmationId);
    if (!link) return;
    const { publicUrl } = this.settings;
    await this.transport.sendMail({
      from: this.settings.from,
      to: link.user.email,
      subject: 'Assay: is this your mail address?',
      text: [
        `Somebody made the account "${link.user.username}" at ${publicUrl} with this mail address.`,
        `If that was you, confirm it within a day: ${publicUrl}/confirm-mail#${link.secret}`,
        'If it was not, do nothing: notifications are sent to confirmed addresses alone.',
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
      `You get this mail because "${kind}" is turned on for you. Turn it off at ${publicUrl}/api/v1/me/notification-settings.`,
    ].join('\n\n');
  }
}

/** One line: what a name brings along is no header. */
const subjectOf = ({ kind, data }: UserNotification): string =>
  notificationTitle(kind, data).replace(/\s+/g, ' ').slice(0, 150);

function addressOf({ task, round, model, annotation, webhook }: UserNotification['data']): string {
  if (webhook) return '/me/webhooks';
  if (annotation !== undefined) return `/annotations/${annotation}`;
  if (model) return `/models/${model.id}`;
  return `/tasks/${task}/rounds/${round}`;
}
