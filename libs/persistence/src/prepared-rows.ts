import type { EntityManager } from '@mikro-orm/postgresql';
import { CompiledQuery } from 'kysely';

/**
 * The rows of a statement that PostgreSQL parses and plans once for each connection, and not each time: for what is asked with almost every
 * request. All other statements of the ORM have their values written into their text, so that each is new to the server; to plan one with a few
 * joins takes longer than to run it.
 * @param statement in which `$1`, `$2` stand for `values`, with a cast where their type is not plain. Each connection keeps it, so it has to be one
 * of few: a list of values is one of them, by `= any($1)`.
 */
export async function preparedRows<Row>(
  em: EntityManager,
  statement: string,
  values: readonly unknown[],
): Promise<Row[]> {
  const { rows } = await em.getKysely().executeQuery<Row>(CompiledQuery.raw(statement, [...values]));
  return rows;
}
