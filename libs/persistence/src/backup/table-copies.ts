import type { Readable, Writable } from 'node:stream';
import type pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';

/**
 * The tables that are not copied. `worker_presence` contains what running processes report about
 * themselves, which does not apply to a copy; the migrator writes `mikro_orm_migrations` itself.
 */
const NOT_COPIED = ['worker_presence', 'mikro_orm_migrations'];

export interface CopiedTable {
  readonly name: string;
  readonly columns: readonly string[];
}

export interface CopiedSequence {
  readonly name: string;
  /** Null if the sequence was never used. */
  readonly value: string | null;
}

/**
 * Returns the tables of the service, with the columns that are not generated. Excludes the schema
 * of the queue.
 */
export async function tablesToCopy(client: pg.ClientBase): Promise<CopiedTable[]> {
  const { rows } = await client.query<CopiedTable>(
    `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
       from pg_class c join pg_attribute a on a.attrelid = c.oid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
        and a.attgenerated = '' and c.relname <> all($1)
      group by c.relname order by c.relname`,
    [NOT_COPIED],
  );
  return rows;
}

/**
 * Copies a table out in text format, which every version of PostgreSQL reads.
 * @returns the number of rows
 */
export async function copyTableOut(
  client: pg.ClientBase,
  table: CopiedTable,
  write: (rows: Readable) => Promise<void>,
): Promise<number> {
  const rows = client.query(copyTo(`copy ${target(table)} to stdout`));
  await write(rows);
  return rows.rowCount;
}

/**
 * Copies the output of `copyTableOut` in, unchanged: the triggers of the table are disabled.
 * @returns the number of rows
 */
export async function copyTableIn(
  client: pg.ClientBase,
  table: CopiedTable,
  read: (into: Writable) => Promise<void>,
): Promise<number> {
  const name = quoted(table.name);
  await client.query(`alter table ${name} disable trigger user`);
  const rows = client.query(copyFrom(`copy ${target(table)} from stdin`));
  await read(rows);
  await client.query(`alter table ${name} enable trigger user`);
  return rows.rowCount;
}

export async function sequencesToCopy(client: pg.ClientBase): Promise<CopiedSequence[]> {
  const { rows } = await client.query<CopiedSequence>(
    `select sequencename as name, last_value::text as value from pg_sequences
      where schemaname = 'public' and sequencename not like 'mikro_orm_migrations%' order by 1`,
  );
  return rows;
}

export async function setSequence(client: pg.ClientBase, { name, value }: CopiedSequence): Promise<void> {
  if (value !== null) await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), value]);
}

/**
 * Sorts tables so that each comes after those that its rows refer to.
 * @throws Error if tables refer to each other
 */
export async function inOrderOfReferences<T extends CopiedTable>(
  client: pg.ClientBase,
  tables: readonly T[],
): Promise<T[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `select f.relname as from, t.relname as to from pg_constraint k
       join pg_class f on f.oid = k.conrelid join pg_class t on t.oid = k.confrelid
      where k.contype = 'f' and k.conrelid <> k.confrelid and k.connamespace = 'public'::regnamespace`,
  );
  const ordered: T[] = [];
  for (let left = [...tables]; left.length > 0;) {
    const waits = ({ name }: T): boolean =>
      rows.some(({ from, to }) => from === name && left.some((t) => t.name === to));
    const free = left.filter((table) => !waits(table));
    if (free.length === 0) throw new Error(`these tables refer to each other: ${left.map(({ name }) => name).join()}`);
    ordered.push(...free);
    left = left.filter((table) => !free.includes(table));
  }
  return ordered;
}

const target = ({ name, columns }: CopiedTable): string => `${quoted(name)} (${columns.map(quoted).join(', ')})`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
