import { Component, computed, inject, input, linkedSignal, type Signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Icon } from './icon.js';
import { Numbers } from '../text/numbers.js';

/** The navigation through a cursor-paginated list: one page forward, or back the same way. */
interface CursorPages {
  /** The cursor of the current page; undefined for the first. */
  readonly cursor: Signal<string | undefined>;
  /** The query parameters that ask for the current page. */
  readonly query: Signal<{ readonly cursor?: string }>;
  readonly number: Signal<number>;
  next(cursor: string): void;
  back(): void;
}

/** @param question Resets the navigation to the first page when its value changes. */
export function cursorPages(question: () => unknown = () => undefined): CursorPages {
  const cursors = linkedSignal<unknown, readonly string[]>({ source: question, computation: () => [] });
  const cursor = computed(() => cursors().at(-1));
  return {
    cursor,
    query: computed(() => ({ ...(cursor() !== undefined && { cursor: cursor()! }) })),
    number: computed(() => cursors().length + 1),
    next: (cursor) => cursors.update((before) => [...before, cursor]),
    back: () => cursors.update((before) => before.slice(0, -1)),
  };
}

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
})
export class Pager {
  readonly pages = input.required<CursorPages>();
  /** The cursor of the next page; undefined on the last page. */
  readonly next = input<string>();

  /** `newest`: the newest entry comes first, so the pages are newer or older. */
  readonly order = input<'newest' | 'any'>('any');

  protected readonly numbers = inject(Numbers);
}
