/** A page of a list, addressed by item ID. `most` is the maximum number of items. */
export interface PartOfList {
  readonly most: number;
  /** The ID of the item before the page; null for the first page. */
  readonly after: string | null;
}

/** Returns the first page of `rest`. `rest` need not have more than one item after that page. */
export function firstPage<T>(
  rest: readonly T[],
  { limit }: { readonly limit: number },
  keyOf: (item: T) => string,
): { readonly items: readonly T[]; readonly nextCursor?: string } {
  const items = rest.slice(0, limit);
  const last = items.at(-1);
  return last !== undefined && rest.length > limit ? { items, nextCursor: keyOf(last) } : { items };
}
