import { computed, linkedSignal, type Signal } from '@angular/core';

/** Pages that are known by their cursors alone: forward one by one, and back the same way. */
export interface CursorPages {
  /** Of the page that is shown; undefined: the first. */
  readonly cursor: Signal<string | undefined>;
  readonly number: Signal<number>;
  next(cursor: string): void;
  back(): void;
}

/** @param question begins anew with the first page when it changes */
export function cursorPages(question: () => unknown): CursorPages {
  const cursors = linkedSignal<unknown, readonly string[]>({ source: question, computation: () => [] });
  return {
    cursor: computed(() => cursors().at(-1)),
    number: computed(() => cursors().length + 1),
    next: (cursor) => cursors.update((before) => [...before, cursor]),
    back: () => cursors.update((before) => before.slice(0, -1)),
  };
}
