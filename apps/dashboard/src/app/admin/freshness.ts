import { Component, computed, DestroyRef, DOCUMENT, inject, input, LOCALE_ID, type Resource } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { problemOf } from '../session/problem.js';
import { Icon } from '../ui/index.js';

const EVERY_MILLISECONDS = 10_000;

/**
 * Refreshes a resource periodically while the page is visible, and on a button. Shows the time of
 * the last refresh.
 */
@Component({
  selector: 'app-freshness',
  imports: [Icon, MatButton],
  template: `
    @if (readAt(); as readAt) {
      <span class="muted small numbers" i18n>as of {{ readAt }}, refreshes every 10 seconds</span>
    }
    <button matButton="outlined" type="button" (click)="of().reload()">
      <app-icon name="refresh" /><ng-container i18n>Refresh</ng-container>
    </button>
  `,
  styles: `
    :host {
      display: flex;
      flex-wrap: wrap;
      gap: 8px 12px;
      align-items: center;
    }
  `,
})
export class Freshness {
  readonly of = input.required<Resource<unknown> & { reload(): boolean }>();

  private readonly time = new Intl.DateTimeFormat(inject(LOCALE_ID), { timeStyle: 'medium' });
  protected readonly readAt = computed(() => {
    const resource = this.of();
    // each response is a new object, so this runs again for each
    return resource.hasValue() && resource.value() !== undefined ? this.time.format(new Date()) : undefined;
  });

  constructor() {
    const page = inject(DOCUMENT);
    const stop = everyWhileVisible(page, EVERY_MILLISECONDS, () => this.keepFresh());
    inject(DestroyRef).onDestroy(stop);
  }

  private keepFresh(): void {
    const resource = this.of();
    const error = resource.error();
    const status = error ? problemOf(error).status : 0;
    // a request refused with a 4xx status would be refused again
    if (resource.isLoading() || (status >= 400 && status < 500)) return;
    resource.reload();
  }
}

/**
 * Calls `act` every `milliseconds` while the page is visible, and immediately when it becomes
 * visible again.
 * @returns a function that stops the calls
 */
export function everyWhileVisible(page: Document, milliseconds: number, act: () => void): () => void {
  let timer: ReturnType<typeof setInterval> | undefined;
  const stop = (): void => {
    clearInterval(timer);
    timer = undefined;
  };
  const follow = (): void => {
    if (page.visibilityState === 'visible') timer ??= setInterval(act, milliseconds);
    else stop();
  };
  const comeBack = (): void => {
    if (page.visibilityState === 'visible') act();
    follow();
  };
  page.addEventListener('visibilitychange', comeBack);
  follow();
  return () => {
    page.removeEventListener('visibilitychange', comeBack);
    stop();
  };
}
