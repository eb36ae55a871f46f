import { queryText } from './query-text.js';

/** What a page of a list has. */
interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

/** All items of a list that comes in pages. @param ask gives the page of a query */
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
