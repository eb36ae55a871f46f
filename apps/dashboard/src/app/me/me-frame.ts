import { Component } from '@angular/core';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { Icon } from '../ui/icon.js';
import type { IconName } from '../ui/icons.js';

interface Part {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

/** The list of somebody's own pages beside the one that is open. */
@Component({
  selector: 'app-me-frame',
  imports: [Icon, RouterLink, RouterLinkActive, RouterOutlet],
  template: `
    <div class="page frame">
      <nav i18n-aria-label aria-label="Your pages">
        <ul>
          @for (part of parts; track part.path) {
            <li>
              <a
                #link
                [routerLink]="part.path"
                routerLinkActive="active"
                ariaCurrentWhenActive="page"
                (isActiveChange)="$event && bringIntoView(link)"
              >
                <app-icon [name]="part.icon" />{{ part.name }}
              </a>
            </li>
          }
        </ul>
      </nav>
      <div class="content"><router-outlet /></div>
    </div>
  `,
  styleUrl: './me-frame.scss',
})
export class MeFrame {
  protected readonly parts: readonly Part[] = [
    { path: 'models', name: $localize`Models`, icon: 'smart_toy' },
    { path: 'examples', name: $localize`Examples`, icon: 'text_fields' },
    { path: 'badges', name: $localize`Badges`, icon: 'trophy' },
    { path: 'notifications', name: $localize`Notifications`, icon: 'notifications' },
    { path: 'profile', name: $localize`Profile`, icon: 'person' },
    { path: 'tokens', name: $localize`Tokens`, icon: 'key' },
    { path: 'sessions', name: $localize`Sessions`, icon: 'dns' },
    { path: 'account', name: $localize`Account`, icon: 'settings' },
  ];

  /** On a phone the list is wider than the window. */
  protected bringIntoView(link: HTMLElement): void {
    link.scrollIntoView({ block: 'nearest', inline: 'center' });
  }
}
