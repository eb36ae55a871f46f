import { Component, inject } from '@angular/core';
import { MatButton, MatIconButton } from '@angular/material/button';
import { MatMenu, MatMenuItem, MatMenuTrigger } from '@angular/material/menu';
import { Router, RouterLink } from '@angular/router';
import { Session } from '../session/session.js';
import { Icon } from '../ui/index.js';
import { Theme } from '../ui/layout/theme.js';

/** The menu of the signed-in user: their pages, the theme and signing out. */
@Component({
  selector: 'app-account-menu',
  imports: [Icon, MatButton, MatIconButton, MatMenu, MatMenuItem, MatMenuTrigger, RouterLink],
  templateUrl: './account-menu.html',
  styles: `
    :host {
      display: flex;
      gap: 4px;
      align-items: center;
    }

    .who {
      padding: 4px 16px 8px;
      color: var(--muted);
    }

    @media (max-width: 480px) {
      .help {
        display: none;
      }
    }

    app-icon {
      margin-inline-end: 8px;
      vertical-align: -4px;
    }

    [matIconButton] app-icon {
      margin: 0;
    }
  `,
})
export class AccountMenu {
  protected readonly session = inject(Session);
  protected readonly theme = inject(Theme);
  protected readonly router = inject(Router);
}
