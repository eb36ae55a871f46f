import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

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
