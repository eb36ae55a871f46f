import { linkedSignal, type Signal } from '@angular/core';

/** A page of a list with cursor pagination. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A list that grows page by page. It restarts when its first page changes. */
export interface GrowingList<T> {
  /** All items loaded so far. Undefined before the first page. */
  readonly page: Signal<CursorPage<T> | undefined>;
  /** Loads the next page and appends it, unless the list has restarted in the meantime. */
  more(read: (cursor: string) => Promise<CursorPage<T>>): Promise<void>;
}

export function growingList<T>(first: () => CursorPage<T> | undefined): GrowingList<T> {
  const page = linkedSignal(first);
  return {
    page: page.asReadonly(),
    async more(read) {
      const before = page();
      if (before?.nextCursor === undefined) return;
      const { items, nextCursor } = await read(before.nextCursor);
      if (page() !== before) return;
      page.set({ items: [...before.items, ...items], ...(nextCursor !== undefined && { nextCursor }) });
    },
  };
}
