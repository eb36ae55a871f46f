import { DomainError, firstPage, type PartOfList } from '@assay/kernel';
import { z } from 'zod';

export { firstPage };

export const Page = z
  .object({ limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(200).optional() })
  .meta({ id: 'Page' });
export type Page = z.infer<typeof Page>;

/**
 * Returns the page of `all` after the cursor, which is the key of the last item of the previous
 * page.
 * @throws DomainError `unknown_cursor`
 */
export function page<T>(
  all: readonly T[],
  { limit, cursor }: Page,
  keyOf: (item: T) => string,
): { readonly items: readonly T[]; readonly nextCursor?: string } {
  const start = cursor === undefined ? 0 : all.findIndex((item) => keyOf(item) === cursor) + 1;
  if (cursor !== undefined && start === 0) refuseCursor();
  return firstPage(all.slice(start), { limit }, keyOf);
}

/**
 * Returns the part of a list to read from the database by the IDs of its items: those after
 * `after`, and at most one more than the page has.
 * @throws DomainError `unknown_cursor` if the cursor is not an ID
 */
export function partById({ limit, cursor }: Page): PartOfList {
  if (cursor !== undefined && !z.guid().safeParse(cursor).success) refuseCursor();
  return { most: limit + 1, after: cursor ?? null };
}

/** @throws DomainError `unknown_cursor` */
export function refuseCursor(): never {
  throw new DomainError('invalid', 'unknown_cursor', 'Invalid cursor. Repeat the request without `cursor`.');
}
