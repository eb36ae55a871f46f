import { queryText } from './query-text.js';

/** A page of a list. */
interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

/**
 * Returns all items of a paginated list.
 *
 * @param ask requests the page for a query string
 */
export async function allItems<T>(ask: (query: string) => Promise<PageOf<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: PageOf<T> = await ask(queryText({ limit: '200', cursor }));
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
