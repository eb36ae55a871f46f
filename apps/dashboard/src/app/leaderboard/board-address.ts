import { inject, Injectable, signal } from '@angular/core';
import { takeUntilDestroyed } from '@angular/core/rxjs-interop';
import { ActivatedRoute, Router } from '@angular/router';
import { type BoardQuery, parseBoardQuery, PLAIN_QUERY, writeBoardQuery } from './board-query.js';

/** What moves settles before the address follows. */
const SETTLING_MILLISECONDS = 200;

/** The state of a board, which is that of its address: whoever opens the address sees the same. */
@Injectable()
export class BoardAddress {
  private readonly router = inject(Router);
  private readonly route = inject(ActivatedRoute);
  private readonly current = signal(PLAIN_QUERY);
  private settling: ReturnType<typeof setTimeout> | undefined;
  /** What the address says, as far as it was written here. */
  private written = '';

  readonly query = this.current.asReadonly();

  constructor() {
    this.route.queryParamMap.pipe(takeUntilDestroyed()).subscribe((parameters) => {
      const query = parseBoardQuery(parameters);
      const text = textOf(query);
      // what was written here comes back, perhaps after the state has moved on
      if (text === this.written) return;
      this.written = text;
      clearTimeout(this.settling);
      this.current.set(query);
    });
  }

  /** Changes parts of the state. A step can be taken back with the browser's button. */
  step(change: Partial<BoardQuery>): void {
    this.current.update((query) => ({ ...query, ...change }));
    this.write({ replaceUrl: false });
  }

  /** The same for what is tried out, such as a text that is typed: no step of its own. */
  change(change: Partial<BoardQuery>): void {
    this.current.update((query) => ({ ...query, ...change }));
    this.write({ replaceUrl: true });
  }

  /** The same while a slider moves: the address follows when it rests. */
  move(change: Partial<BoardQuery>): void {
    this.current.update((query) => ({ ...query, ...change }));
    clearTimeout(this.settling);
    this.settling = setTimeout(() => this.write({ replaceUrl: true }), SETTLING_MILLISECONDS);
  }

  /** The whole address of the state, to be given to others. */
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
