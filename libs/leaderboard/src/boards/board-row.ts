import { createHash } from 'node:crypto';
import { remembered } from '@assay/kernel';
import { defineEntity, p } from '@mikro-orm/core';
import type { BoardModel } from './board-content.js';

const BoardRowSchema = defineEntity({
  name: 'BoardRow',
  properties: {
    /** sha256 of the JSON of the row. */
    digest: p.blob().primary(),
    row: p.json<BoardModel>(),
  },
});

/**
 * A model of boards, with its scores. Revisions refer to it by its digest, so that those that have the
 * same row share it. Revisions are never deleted, and neither are their rows.
 */
export class BoardRow extends BoardRowSchema.class {}
BoardRowSchema.setClass(BoardRow);

const DIGEST_BYTES = 32;

const digests = new WeakMap<BoardModel, string>();

/** Returns the digest of a row in hexadecimal. Cached while the row is in memory. */
export const rowDigest = (row: BoardModel): string =>
  remembered(digests, row, () => createHash('sha256').update(JSON.stringify(row)).digest('hex'));

/** Returns the digests of rows in one buffer, in their order. */
export const packedDigests = (rows: readonly BoardModel[]): Buffer => Buffer.from(rows.map(rowDigest).join(''), 'hex');

/** Returns the digests that `packedDigests` has packed, in hexadecimal. */
export function unpackedDigests(packed: Uint8Array): string[] {
  const hex = Buffer.from(packed.buffer, packed.byteOffset, packed.length).toString('hex');
  return Array.from({ length: packed.length / DIGEST_BYTES }, (_, index) =>
    hex.slice(2 * DIGEST_BYTES * index, 2 * DIGEST_BYTES * (index + 1)),
  );
}
