import { Component, inject } from '@angular/core';
import { RouterLink, RouterOutlet } from '@angular/router';
import { CompareTrayBar } from '../compare/compare-tray-bar.js';
import { Session } from '../session/session.js';
import { AccountMenu } from './account-menu.js';
import { NotificationsButton } from './notifications-button.js';
import { SearchButton } from './search-button.js';
import { SubmitLink } from './submit-link.js';
import { TaskSwitcher } from './task-switcher.js';

/** The top bar with the page below it. Embedded widgets have neither bar nor margin. */
@Component({
  selector: 'app-root',
  imports: [
    AccountMenu,
    CompareTrayBar,
    NotificationsButton,
    RouterLink,
    RouterOutlet,
    SearchButton,
    SubmitLink,
    TaskSwitcher,
  ],
  templateUrl: './shell.html',
  styleUrl: './shell.scss',
})
export class Shell {
  protected readonly session = inject(Session);
  protected readonly isEmbedded = location.pathname.startsWith('/embed/');
}
