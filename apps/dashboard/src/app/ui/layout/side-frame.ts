import { Component, input } from '@angular/core';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { Icon } from './icon.js';
import type { IconName } from './icons.js';

/** One page of a side frame. */
export interface FramePart {
  /** The path of its route, relative to that of the frame. */
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

/**
 * A group of pages, with their list at the side of the current one. The list becomes tabs above the
 * page on narrow screens.
 */
@Component({
  selector: 'app-side-frame',
  imports: [Icon, RouterLink, RouterLinkActive, RouterOutlet],
  template: `
    <div class="page frame">
      <nav [attr.aria-label]="label()">
        <ul>
          @for (part of parts(); track part.path) {
            <li>
              <a
                #link
                [routerLink]="part.path"
                routerLinkActive="active"
                ariaCurrentWhenActive="page"
                (isActiveChange)="$event && show(link)"
              >
                <app-icon [name]="part.icon" />{{ part.name }}
              </a>
            </li>
          }
        </ul>
      </nav>
      <div><router-outlet /></div>
    </div>
  `,
  styleUrl: './side-frame.scss',
})
export class SideFrame {
  /** The accessible name of the list. */
  readonly label = input.required<string>();
  readonly parts = input.required<readonly FramePart[]>();

  /** Scrolls the active tab into view. */
  protected show(link: HTMLElement): void {
    link.scrollIntoView({ block: 'nearest', inline: 'center' });
  }
}
