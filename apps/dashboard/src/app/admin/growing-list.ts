import { linkedSignal, type Signal } from '@angular/core';

/** A page of a list that is known by cursors. */
export interface CursorPage<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string;
}

/** A list that grows by its next pages; it begins anew with another first page. */
export interface GrowingList<T> {
  /** All that was read; undefined before the first page. */
  readonly page: Signal<CursorPage<T> | undefined>;
  /** Reads the next page, and adds it unless the list has begun anew meanwhile. */
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
