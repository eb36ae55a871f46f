import { type Round } from '@assay/tasks';
import { type DatasetRoom } from '@assay/tasks/datasets';
import { badLine } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';
import { RoundRepository } from './round.repository.js';

export type LineRecord = Readonly<Record<string, unknown>>;

/**
 * Returns a line as an object.
 * @throws DomainError `bad_line`
 */
export function objectOf(record: unknown, place: number): LineRecord {
  if (typeof record !== 'object' || record === null || Array.isArray(record))
    throw badLine(place, 'is not a JSON object');
  return record as LineRecord;
}

/**
 * Returns the `id` (or `uid`) of a line as text, or else its number. A field that is an input of
 * the task does not count.
 * @throws DomainError `bad_line`
 */
export function idOf(record: LineRecord, place: number, inputs: ReadonlySet<string>): string {
  const given = ['id', 'uid'].find((name) => record[name] !== undefined && !inputs.has(name));
  if (given === undefined) return String(place);
  const id = record[given];
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '' || String(id).length > 200) {
    throw badLine(place, `"${given}" is neither a number nor a text of 1 to 200 characters`);
  }
  return String(id);
}

/** @throws DomainError `bad_line` */
export function tagsOf(record: LineRecord, place: number): readonly string[] {
  const tags = record['tags'] ?? [];
  const isList = Array.isArray(tags) && tags.every((tag) => typeof tag === 'string' && tag !== '' && tag.length <= 200);
  if (!isList) throw badLine(place, '"tags" is not a list of texts of 1 to 200 characters');
  return [...new Set(tags as string[])];
}

/** The number of characters from which a group is complete: lines may contain images. */
const HEAVIEST = 8 * 2 ** 20;

/** Groups records for batch writes: `size` records each, or fewer if they are large. */
export async function* grouped<T>(records: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let [group, weight]: [T[], number] = [[], 0];
  for await (const record of records) {
    group.push(record);
    weight += charactersOf(record);
    if (group.length < size && weight < HEAVIEST) continue;
    yield group;
    [group, weight] = [[], 0];
  }
  if (group.length > 0) yield group;
}

function charactersOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce((sum, [key, inner]) => sum + key.length + charactersOf(inner), 0);
}

/** How the lines of a source are stored. */
interface PutLines<Line> {
  readonly lines: AsyncIterable<Line>;
  /** The number of lines that are written to the database together. */
  readonly batch: number;
  /** Stores the lines that are not stored yet, and returns the values that it stored of each. */
  readonly add: (lines: readonly Line[]) => Promise<readonly (readonly unknown[])[]>;
  readonly room: DatasetRoom | undefined;
}

/**
 * Stores lines in a round, and counts their bytes, measured as JSON, towards the quota of the task's
 * owner. Locks the round, which must be open, until the transaction ends.
 * @returns the numbers of lines that were added and that were stored before
 * @throws DomainError `round_closed`, and the errors of `room`
 */
export async function putLines<Line>(
  em: EntityManager,
  round: Round,
  { lines, batch, add, room }: PutLines<Line>,
): Promise<{ readonly added: number; readonly present: number }> {
  let [added, present, bytes] = [0, 0, 0];
  for await (const group of grouped(lines, batch)) {
    const fresh = await add(group);
    const more = fresh.flat().reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value) ?? ''), 0);
    await room?.onBytes(more);
    bytes += more;
    added += fresh.length;
    present += group.length - fresh.length;
  }
  // last, so that a long upload does not delay closing the round
  const rounds = new RoundRepository(em);
  if (bytes > 0) {
    const owner = await rounds.addBytes(round.id, bytes);
    await room?.expect(em, owner);
  }
  await rounds.expectOpen(round);
  return { added, present };
}
