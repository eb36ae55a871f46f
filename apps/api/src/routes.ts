// What controllers declare their routes with: access, callers, parameters and pages.
import { DomainError, firstPage as firstOf, type PartOfList } from '@assay/kernel';
import { applyDecorators } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import { z } from 'zod';
import { jsonSchema } from './openapi/json-schema.js';

export type { Principal } from '@assay/identity';
export { Access } from './access/access.js';
export { CurrentEvaluator } from './auth/evaluator-access.js';
export { Administrator, CurrentUser, MaybeUser } from './auth/principal.guard.js';

/**
 * An ID in a path. A text that is no ID names nothing, so the error is `not_found` and not a
 * validation error.
 */
export const Id = z
  .string()
  .transform((text) => {
    if (z.guid().safeParse(text).success) return text;
    throw DomainError.notFound('resource');
  })
  .pipe(z.string());

/**
 * The number of a round in a path. A text that is no such number names nothing, so the error is
 * `not_found`.
 */
export const RoundNumber = z
  .string()
  .transform((text) => {
    if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
    throw DomainError.notFound('round');
  })
  .pipe(z.number());

/** Documents each key of a query's schema as a parameter of the operation. */
export function ApiQueries(schema: z.ZodType): MethodDecorator {
  const { properties = {}, required = [] } = jsonSchema(schema);
  return applyDecorators(
    ...Object.entries(properties).map(([name, property]) => {
      const { description, ...shape } = typeof property === 'object' ? property : {};
      return ApiQuery({
        name,
        required: required.includes(name),
        ...(description !== undefined && { description }),
        schema: shape as object,
      });
    }),
  );
}

export const Page = z
  .object({ limit: z.coerce.number().int().min(1).max(200).default(50), cursor: z.string().max(200).optional() })
  .meta({ id: 'Page' });
export type Page = z.infer<typeof Page>;

/** The page in the query of a list whose cursors are IDs. */
export const paged = {
  limit: z.coerce.number().int().min(1).max(200).default(50).describe('items on a page'),
  cursor: z.guid().optional().describe('nextCursor of the page before'),
};

interface Paged<T> {
  readonly items: T[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * Returns the page of `all` after the cursor, which is the key of the last item of the previous
 * page.
 * @throws DomainError `unknown_cursor`
 */
export function page<T>(all: readonly T[], { limit, cursor }: Page, keyOf: (item: T) => string): Paged<T> {
  const start = cursor === undefined ? 0 : all.findIndex((item) => keyOf(item) === cursor) + 1;
  if (cursor !== undefined && start === 0) refuseCursor();
  return pageOf(all.slice(start), limit, keyOf, (item) => item);
}

/**
 * Returns the first page of `rest`, whose items are presented by `view`. `rest` need not have more
 * than one item after that page.
 */
export const firstPage = <T extends { readonly id: string }, View>(
  rest: readonly T[],
  { limit }: Pick<Page, 'limit'>,
  view: (item: T) => View,
): Paged<View> => pageOf(rest, limit, ({ id }) => id, view);

function pageOf<T, View>(
  rest: readonly T[],
  limit: number,
  keyOf: (item: T) => string,
  view: (item: T) => View,
): Paged<View> {
  const { items, ...cursor } = firstOf(rest, { limit }, keyOf);
  return { items: items.map(view), ...cursor };
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
