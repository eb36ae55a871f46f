import { computed, linkedSignal, type Signal } from '@angular/core';

/** The navigation through a cursor-paginated list: one page forward, or back the same way. */
export interface CursorPages {
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
