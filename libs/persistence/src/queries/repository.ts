import type { EntityClass, EntityDictionary, EntityManager } from '@mikro-orm/postgresql';
import type { InferKyselyDB } from '@mikro-orm/sql';
import { CompiledQuery, type Kysely, type RawBuilder, sql } from 'kysely';

/** The SQL of one aggregate, whose entities have the types `Schemas`. */
export abstract class Repository<Schemas extends NamedSchema = never> {
  /** @param em its transaction is used, if it has one */
  constructor(protected readonly em: EntityManager) {}

  /**
   * Kysely's query builder for the tables of `Schemas`, bound to the transaction of `em` if there is
   * one. The ORM does not see the changes: refresh entities that are loaded.
   */
  protected get db(): Kysely<TablesOf<Schemas>> {
    // the schemas are a type only, which the compiler cannot resolve here
    return this.em.getKysely(NAMES) as unknown as Kysely<TablesOf<Schemas>>;
  }

  /** Runs a statement that yields a row, and returns its first one. */
  protected async row<Row extends object>(statement: string, values: readonly unknown[]): Promise<Row> {
    const [row] = await this.em.execute<Row[]>(statement, values);
    return row!;
  }

  /** Returns the IDs of the rows of a query. */
  protected async idsOf(rows: Promise<readonly { readonly id: string }[]>): Promise<string[]> {
    return (await rows).map(({ id }) => id);
  }

  /** Runs a query, and returns whether it found a row. */
  protected async exists(query: { executeTakeFirst(): Promise<unknown> }): Promise<boolean> {
    return (await query.executeTakeFirst()) !== undefined;
  }

  /** Runs an update, and returns whether it changed a row. */
  protected async changes(update: {
    executeTakeFirst(): Promise<{ readonly numUpdatedRows: bigint }>;
  }): Promise<boolean> {
    return (await update.executeTakeFirst()).numUpdatedRows > 0;
  }
}

const NAMES = { columnNamingStrategy: 'property', convertValues: true } as const;

interface NamedSchema {
  readonly name: string;
}

/** The tables of entity schemas. Columns have the names of the properties. */
export type TablesOf<Schemas extends NamedSchema> = InferKyselyDB<Schemas, typeof NAMES>;

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

/** Escapes `text` for `like` and `ilike`, so that its pattern characters match literally. */
export const likeText = (text: string): string => text.replace(/[\\%_]/g, '\\$&');

/**
 * Returns the rows of a statement that PostgreSQL parses and plans once per connection, for
 * statements that almost every request runs. The ORM writes values into the text of all other
 * statements, so each of those is new to the server; planning one with a few joins takes longer
 * than running it.
 * @param statement contains `$1`, `$2` for `values`, with a cast if a type is not obvious. Each
 * connection caches the statement, so there must be few of them: pass a list of values as one value
 * with `= any($1)`.
 */
export async function preparedRows<Row>(
  em: EntityManager,
  statement: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(statement, [...values]));
  return rows;
}

/**
 * Returns the entities of the rows of a prepared statement, which selects all columns of their table.
 * For statements that almost every request runs: `em.find` builds its statement each time.
 */
export async function preparedEntities<Entity extends object>(
  em: EntityManager,
  entity: EntityClass<Entity>,
  statement: string,
  values: readonly unknown[],
): Promise<Entity[]> {
  const rows = await preparedRows<EntityDictionary<Entity>>(em, statement, values);
  return rows.map((row) => em.map(entity, row));
}
