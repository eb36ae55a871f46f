import { DestroyRef, inject, Injectable, signal } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import { ActivatedRoute, Router } from '@angular/router';
import { type BoardQuery, parseBoardQuery, PLAIN_QUERY, writeBoardQuery } from './board-query.js';

/** Delay between the last movement of a slider and the update of the URL. */
const SETTLING_MILLISECONDS = 200;

/** The state of a leaderboard, stored in the query parameters, so that the URL reproduces it. */
@Injectable()
export class BoardAddress {
  private readonly router = inject(Router);
  private readonly route = inject(ActivatedRoute);
  private readonly current = signal(PLAIN_QUERY);
  private settling: ReturnType<typeof setTimeout> | undefined;
  /** The last state that was written to the URL or read from it, serialised. */
  private written = '';

  readonly query = this.current.asReadonly();

  constructor() {
    // a pending update would lead back to the board from the next page
    inject(DestroyRef).onDestroy(() => clearTimeout(this.settling));
    this.route.queryParamMap.pipe(takeUntilDestroyed()).subscribe((parameters) => {
      const query = parseBoardQuery(parameters);
      const text = textOf(query);
      // a state that this class wrote comes back, perhaps after the state has changed again
      if (text === this.written) return;
      this.written = text;
      clearTimeout(this.settling);
      this.current.set(query);
    });
  }

  /** Changes parts of the state and adds a history entry: the browser's back button undoes it. */
  step(change: Partial<BoardQuery>): void {
    this.current.update((query) => ({ ...query, ...change }));
    this.write({ replaceUrl: false });
  }

  /** Changes parts of the state without a history entry, for example while text is typed. */
  change(change: Partial<BoardQuery>): void {
    this.current.update((query) => ({ ...query, ...change }));
    this.write({ replaceUrl: true });
  }

  /** Changes parts of the state while a slider moves. The URL follows when the slider rests. */
  move(change: Partial<BoardQuery>): void {
    this.current.update((query) => ({ ...query, ...change }));
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.write({ replaceUrl: true }), SETTLING_MILLISECONDS);
  }

  /** The full URL of the state, for sharing. */
  link(): string {
    const url = this.router.createUrlTree([], { relativeTo: this.route, queryParams: writeBoardQuery(this.current()) });
    return new URL(this.router.serializeUrl(url), location.href).href;
  }

  private write({ replaceUrl }: { readonly replaceUrl: boolean }): void {
    clearTimeout(this.settling);
    const text = textOf(this.current());
    if (text === this.written) return;
    this.written = text;
    const queryParams = writeBoardQuery(this.current());
    void this.router.navigate([], { relativeTo: this.route, queryParams, replaceUrl, scroll: 'manual' });
  }
}

const textOf = (query: BoardQuery): string => JSON.stringify(writeBoardQuery(query));
