import { Component, input } from '@angular/core';
import { RouterLink, RouterLinkActive, RouterOutlet } from '@angular/router';
import { Icon } from './icon.js';
import type { IconName } from './icons.js';

/** One of the pages that share a frame. */
export interface FramePart {
  /** Of its route, within that of the frame. */
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
}

/** Pages that belong together: the list of them beside the one that is open; above it, as tabs, where there is less room. */
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
  /** What the list is a list of. */
  readonly label = input.required<string>();
  readonly parts = input.required<readonly FramePart[]>();

  /** A tab that is open may be beyond the edge. */
  protected show(link: HTMLElement): void {
    link.scrollIntoView({ block: 'nearest', inline: 'center' });
  }
}
