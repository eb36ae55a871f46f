import { Component, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { CursorPages } from './cursor-pages.js';
import { Icon } from './icon.js';
import { Numbers } from '../text/numbers.js';

/** The buttons to navigate a cursor-paginated list. */
@Component({
  selector: 'app-pager',
  imports: [Icon, MatButton],
  template: `
    @if (pages().number() > 1 || next()) {
      @if (order() === 'newest') {
        <nav class="row" i18n-aria-label aria-label="Pages of the list">
          <button matButton="outlined" type="button" [disabled]="pages().number() === 1" (click)="pages().back()" i18n>
            Newer
          </button>
          <button matButton="outlined" type="button" [disabled]="!next()" (click)="pages().next(next()!)">
            <ng-container i18n>Older</ng-container>
          </button>
        </nav>
      } @else {
        <nav class="row" i18n-aria-label aria-label="Pages">
          <button matButton="outlined" type="button" [disabled]="pages().number() === 1" (click)="pages().back()">
            <app-icon name="chevron_left" /><ng-container i18n>Before</ng-container>
          </button>
          <span class="muted" i18n>page {{ numbers.count(pages().number()) }}</span>
          <button matButton="outlined" type="button" [disabled]="!next()" (click)="pages().next(next()!)">
            <ng-container i18n>Next</ng-container><app-icon name="chevron_right" />
          </button>
        </nav>
      }
    }
  `,
  styles: `
    app-icon {
      vertical-align: -4px;
    }
  `,
})
export class Pager {
  readonly pages = input.required<CursorPages>();
  /** The cursor of the next page; undefined on the last page. */
  readonly next = input<string>();

  /** `newest`: the newest entry comes first, so the pages are newer or older. */
  readonly order = input<'newest' | 'any'>('any');

  protected readonly numbers = inject(Numbers);
}
