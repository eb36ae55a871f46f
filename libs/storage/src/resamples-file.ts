import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { endianness } from 'node:os';
import { DomainError } from '@assay/kernel';
import { z } from 'zod';
import type { BlobStore } from './blob-store.js';

/**
 * Resampled values by metric. The k-th value of every metric, and of every model on the same
 * dataset version, comes from the same draw.
 */
export type Resamples = Readonly<Record<string, Float32Array>>;

const MAGIC = 'assay-resamples-1';
const BYTES = Float32Array.BYTES_PER_ELEMENT;

const Header = z.object({
  format: z.literal(MAGIC),
  columns: z.array(z.object({ name: z.string(), length: z.int().nonnegative() })),
});

/**
 * Encodes a resamples file: a line of JSON, `{format, columns: [{name, length}]}`, followed by the
 * values of each column as little-endian float32. The columns are sorted by name, so the same
 * values give the same bytes.
 */
export function encodeResamples(resamples: Resamples): Buffer {
  const columns = Object.entries(resamples).sort(([one], [other]) => (one < other ? -1 : 1));
  const header = { format: MAGIC, columns: columns.map(([name, values]) => ({ name, length: values.length })) };
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(header)}\n`, 'utf8'),
    ...columns.map(([, values]) => littleEndian(Buffer.from(values.slice().buffer))),
  ]);
}

/**
 * Decodes a resamples file.
 * @throws DomainError `resamples_unreadable`
 */
export function decodeResamples(bytes: Buffer): Resamples {
  const end = bytes.indexOf(10);
  const { columns } = headerOf(bytes.subarray(0, Math.max(end, 0)));
  let start = end + 1;
  const expected = columns.reduce((sum, { length }) => sum + length * BYTES, start);
  if (bytes.length !== expected) throw unreadable(`it has ${bytes.length} bytes instead of ${expected}`);

  const resamples = new Map<string, Float32Array>();
  for (const { name, length } of columns) {
    // copied, because a Float32Array must begin at a multiple of 4
    const values = littleEndian(Buffer.from(bytes.subarray(start, start + length * BYTES)));
    resamples.set(name, new Float32Array(new Uint8Array(values).buffer));
    start += length * BYTES;
  }
  return Object.fromEntries(resamples);
}

/**
 * Stores a resamples file.
 * @returns the digest of the blob
 */
export async function storeResamples(blobs: Pick<BlobStore, 'put'>, resamples: Resamples): Promise<string> {
  const { digest } = await blobs.put(Readable.from([encodeResamples(resamples)]));
  return digest;
}

/**
 * Reads a stored resamples file.
 * @throws DomainError `blob_missing`, `resamples_unreadable`
 */
export async function readResamples(blobs: Pick<BlobStore, 'open'>, digest: string): Promise<Resamples> {
  return decodeResamples(await buffer(blobs.open(digest)));
}

function headerOf(line: Buffer): z.infer<typeof Header> {
  try {
    return Header.parse(JSON.parse(line.toString('utf8')));
  } catch {
    throw unreadable('its first line is not a valid header');
  }
}

const littleEndian = (bytes: Buffer): Buffer => (endianness() === 'LE' ? bytes : bytes.swap32());

const unreadable = (why: string): DomainError =>
  new DomainError('unavailable', 'resamples_unreadable', `A resamples file cannot be read: ${why}.`);
