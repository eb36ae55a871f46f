/** The query for a page of a list. */
interface PageQuery {
  readonly limit: number;
  readonly cursor?: string;
}

/** A page of a list. */
interface PageOf<T> {
  readonly items: readonly T[];
  readonly nextCursor?: string | undefined;
}

/**
 * Returns all items of a paginated list.
 *
 * @param ask requests the page for a query
 */
export async function allItems<T>(ask: (query: PageQuery) => Promise<PageOf<T>>): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page: PageOf<T> = await ask({ limit: 200, ...(cursor !== undefined && { cursor }) });
    items.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return items;
}
