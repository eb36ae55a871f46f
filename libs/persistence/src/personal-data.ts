import type { EntityManager } from '@mikro-orm/postgresql';

/** A user whose account is deleted. */
export interface ErasedUser {
  readonly id: string;
  readonly username: string;
  /** `remove`: the texts of their examples and validations are removed too. */
  readonly text: 'keep' | 'remove';
  readonly at: Date;
}

/** The data of a context about people: how it is exported, and how it is erased. */
export interface PersonalData {
  /**
   * SQL for the parts of an export that are one object, by name. The parameter is the user's ID.
   * Each row has an `id`.
   */
  readonly objects?: Readonly<Record<string, string>>;
  /**
   * SQL for the parts of an export that are lists, as `objects`. Refers to other people's work by
   * ID only.
   */
  readonly lists?: Readonly<Record<string, string>>;
  /** Erases what identifies the user, in the transaction of `em`. */
  readonly erase?: (em: EntityManager, user: ErasedUser) => Promise<void>;
}

/** The number of rows that are read at once. */
const AT_ONCE = 500;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface PersonalRow {
  readonly id: string;
}

/** Reads the rows of a query of `PersonalData`, a few at a time. */
export async function* personalRows(
  em: EntityManager,
  select: string,
  userId: string,
): AsyncGenerator<PersonalRow, undefined> {
  for (let after = FIRST; ;) {
    const rows = await em.execute<{ row: PersonalRow }[]>(
      `select to_jsonb(own) as row from (${select}) own where own.id > ? order by own.id limit ${AT_ONCE}`,
      [userId, after],
    );
    for (const { row } of rows) yield row;
    const last = rows.at(-1);
    if (!last || rows.length < AT_ONCE) return;
    after = last.row.id;
  }
}

/** Deletes a user's rows of tables that have a `user_id`. */
export async function deleteOwnRows(em: EntityManager, tables: readonly string[], userId: string): Promise<void> {
  for (const table of tables) await em.execute(`delete from ${table} where user_id = ?`, [userId]);
}
