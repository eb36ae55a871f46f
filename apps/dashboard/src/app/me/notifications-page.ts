import { Component, computed, inject, input, linkedSignal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { type Notification, notificationsListResource, notificationsRead } from '@assay/api-client/angular';
import { Action } from '../ui/states/action.js';
import { ActionProblem } from '../ui/states/action-problem.js';
import { Empty } from '../ui/states/empty.js';
import { Loaded } from '../ui/states/loaded.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { When } from '../ui/text/when.js';
import { aboutWhat } from './about-what.js';
import { NotificationSettingsForm } from './notification-settings-form.js';
import { Pager } from './pager.js';

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
  protected readonly cursors = linkedSignal<boolean, readonly string[]>({
    source: this.isUnreadOnly,
    computation: () => [],
  });
  protected readonly list = notificationsListResource(() => {
    const cursor = this.cursors().at(-1);
    return {
      query: {
        limit: 30,
        ...(cursor !== undefined && { cursor }),
        ...(this.isUnreadOnly() && { unread: 'true' as const }),
      },
    };
  });
  protected readonly action = new Action();
  protected readonly aboutWhat = aboutWhat;

  /** Marks the notification as read, then opens the page that it is about. */
  protected async open(notification: Notification): Promise<void> {
    if (!notification.readAt) await this.read({ ids: [notification.id] });
    await this.router.navigateByUrl(aboutWhat(notification));
  }

  protected async markRead(notification: Notification): Promise<void> {
    await this.read({ ids: [notification.id] });
    this.list.reload();
  }

  protected async markAll(): Promise<void> {
    await this.read({ all: true });
    this.list.reload();
  }

  private read(body: { readonly ids: string[] } | { readonly all: true }): Promise<unknown> {
    return this.action.run(() => notificationsRead({ body, throwOnError: true }));
  }
}
