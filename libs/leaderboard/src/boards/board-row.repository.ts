import { preparedRows, Repository } from '@assay/persistence/queries';
import type { BoardModel } from './board-content.js';
import { rowDigest } from './board-row.js';

/** The number of rows that one statement reads or writes. */
const BATCH = 500;

/** A cache of rows by digest. */
export interface KnownRows {
  get(digest: string): BoardModel | undefined;
  set(digest: string, row: BoardModel): unknown;
}

/** The rows of boards in the database, which are never changed. */
export class BoardRowRepository extends Repository {
  /**
   * Returns the rows with these digests, in their order.
   * @param known rows that need not be read; those that are read are added
   */
  async find(digests: readonly string[], known: KnownRows = new Map()): Promise<BoardModel[]> {
    const found = new Map<string, BoardModel>();
    const unknown: string[] = [];
    for (const digest of digests) {
      const row = known.get(digest);
      if (row) found.set(digest, row);
      else unknown.push(digest);
    }
    for (const batch of batchesOf(unknown)) {
      const rows = await preparedRows<{ readonly digest: string; readonly row: BoardModel }>(
        this.em,
        `select encode(digest, 'hex') as digest, row from board_row where digest = any($1::bytea[])`,
        [batch.map((digest) => Buffer.from(digest, 'hex'))],
      );
      for (const { digest, row } of rows) {
        found.set(digest, row);
        known.set(digest, row);
      }
    }
    return digests.map((digest) => found.get(digest)!);
  }

  /** Stores the rows that are not stored yet. */
  async store(rows: readonly BoardModel[]): Promise<void> {
    for (const batch of batchesOf(rows)) {
      await preparedRows(
        this.em,
        `insert into board_row (digest, row)
           select * from unnest($1::bytea[], $2::jsonb[]) on conflict do nothing`,
        [batch.map((row) => Buffer.from(rowDigest(row), 'hex')), batch.map((row) => JSON.stringify(row))],
      );
    }
  }
}

function* batchesOf<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let first = 0; first < all.length; first += BATCH) yield all.slice(first, first + BATCH);
}
