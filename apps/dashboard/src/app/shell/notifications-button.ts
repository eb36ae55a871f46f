import { Component, computed, inject } from '@angular/core';
import { MatIconButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { notificationsListResource } from '@assay/api-client/angular';
import { Session } from '../session/session.js';
import { Icon } from '../ui/index.js';

/** Links to the notifications and shows the number of unread ones. Refreshes on each navigation. */
@Component({
  selector: 'app-notifications-button',
  imports: [Icon, MatIconButton, RouterLink],
  template: `
    @if (session.user()) {
      <a matIconButton routerLink="/me/notifications" [attr.aria-label]="label()">
        <app-icon name="notifications" />
        @if (unread(); as unread) {
          <span class="unread numbers" aria-hidden="true">{{ unread > 99 ? '99+' : unread }}</span>
        }
      </a>
    }
  `,
  styles: `
    a {
      position: relative;
    }

    .unread {
      position: absolute;
      top: 0;
      inset-inline-end: 0;
      min-width: 16px;
      padding: 0 4px;
      border-radius: 8px;
      background: var(--accent);
      color: var(--on-accent);
      font-size: var(--size-1);
      line-height: 16px;
      text-align: center;
    }
  `,
})
export class NotificationsButton {
  protected readonly session = inject(Session);
  private readonly navigation = inject(Router).lastSuccessfulNavigation;
  private readonly list = notificationsListResource(() => {
    this.navigation();
    return this.session.user() ? { query: { limit: 1 } } : undefined;
  });
  protected readonly unread = computed(() => (this.list.hasValue() ? this.list.value().unread : 0));
  protected readonly label = computed(() => {
    const unread = this.unread();
    return unread === 0 ? $localize`Notifications` : $localize`Notifications, ${unread}:count: new`;
  });
}
