import type { EntityManager } from '@mikro-orm/postgresql';
import type { InferKyselyDB } from '@mikro-orm/sql';
import { type Kysely, type RawBuilder, sql } from 'kysely';

const NAMES = { columnNamingStrategy: 'property', convertValues: true } as const;

export interface NamedSchema {
  readonly name: string;
}

/** The tables of entity schemas. Columns have the names of the properties. */
export type TablesOf<Schemas extends NamedSchema> = InferKyselyDB<Schemas, typeof NAMES>;

/**
 * Returns Kysely's query builder for the tables of `Schemas`, as in
 * `typedQueries<typeof RunSchema | typeof TaskSchema>(em)`. It is bound to the transaction of `em`
 * if there is one. The ORM does not see the changes: refresh entities that are loaded.
 */
export function typedQueries<Schemas extends NamedSchema>(em: EntityManager): Kysely<TablesOf<Schemas>> {
  // the schemas are a type only, which the compiler cannot resolve within this function
  return em.getKysely(NAMES) as unknown as Kysely<TablesOf<Schemas>>;
}

/** The time at which the transaction started, by the clock of the database. */
export const databaseTime = (): RawBuilder<Date> => sql<Date>`now()`;

/** The time `seconds` after the start of the transaction, or before it if negative. */
export const databaseTimeIn = (seconds: number): RawBuilder<Date> =>
  sql<Date>`now() + make_interval(secs => ${seconds})`;

/**
 * The time `seconds` after this very moment, by the clock of the database. For the end of a lease:
 * a transaction that has waited for a lock may have started longer ago than a lease lasts.
 */
export const leaseEnd = (seconds: number): RawBuilder<Date> =>
  sql<Date>`clock_timestamp() + make_interval(secs => ${seconds})`;

/** A number of rows that have the same values in the other columns. */
export interface CountedRows {
  readonly count: number;
  readonly [column: string]: string | number;
}

/** The number of rows of a group, as the column `count`. */
export const countRows = sql<number>`count(*)::int`.as('count');

/** A value of a JSON column. */
export const jsonValue = <T>(value: T): RawBuilder<T> =>
  value === null ? sql<T>`null` : sql<T>`${JSON.stringify(value)}::jsonb`;

/** Returns the IDs as a PostgreSQL array literal, for use with `any(?::uuid[])`. Quotes nothing. */
export const uuidArray = (ids: Iterable<string>): string => `{${[...ids].join(',')}}`;

/** The right side of a comparison with any of these IDs, which may be none: `= any(…)`. */
export const anyOf = (ids: Iterable<string>, type: 'uuid' | 'bigint' = 'uuid'): RawBuilder<string> =>
  sql<string>`any(${uuidArray(ids)}::${sql.raw(type)}[])`;
