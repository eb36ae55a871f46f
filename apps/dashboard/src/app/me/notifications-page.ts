import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { type Notification, notificationsListResource, notificationsRead } from '@assay/api-client/angular';
import { Action, ActionProblem, cursorPages, Empty, Loaded, PageHeader, Pager, When } from '../ui/index.js';
import { NotificationSettingsForm } from './notification-settings-form.js';

type ReadNotifications = { readonly ids: string[] } | { readonly all: true };

/** The user's notifications, and the settings for them. */
@Component({
  selector: 'app-notifications-page',
  imports: [ActionProblem, Empty, Loaded, MatButton, NotificationSettingsForm, PageHeader, Pager, RouterLink, When],
  templateUrl: './notifications-page.html',
  styleUrl: './notifications-page.scss',
})
export class NotificationsPage {
  /** The filter, from the query string: `unread` or nothing. */
  readonly show = input<string>();

  private readonly router = inject(Router);
  protected readonly isUnreadOnly = computed(() => this.show() === 'unread');
  protected readonly pages = cursorPages(this.isUnreadOnly);
  protected readonly list = notificationsListResource(() => ({
    query: { limit: 30, ...this.pages.query(), ...(this.isUnreadOnly() && { unread: 'true' as const }) },
  }));
  protected readonly action = new Action();
  protected readonly aboutWhat = aboutWhat;

  /** Marks the notification as read, then opens the page that it is about. */
  protected async open(notification: Notification): Promise<void> {
    if (!notification.readAt) await this.read({ ids: [notification.id] });
    await this.router.navigateByUrl(aboutWhat(notification));
  }

  protected async mark(which: ReadNotifications): Promise<void> {
    await this.read(which);
    this.list.reload();
  }

  private read(body: ReadNotifications): Promise<unknown> {
    return this.action.run(() => notificationsRead({ body }));
  }
}

/** Returns the path of the page that a notification is about. */
export function aboutWhat(notification: Pick<Notification, 'task' | 'round' | 'model' | 'annotation'>): string {
  const { task, round, model, annotation } = notification;
  if (task === null) return '/me/webhooks';
  const at = `/tasks/${encodeURIComponent(task)}`;
  if (annotation !== null) return '/me/examples';
  if (model !== null) return `${at}/models/${model}`;
  return round === null ? at : `${at}/rounds/${round}`;
}
