import type { FileHandle } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { constants, createGunzip, createZstdDecompress, zstdDecompressSync } from 'node:zlib';

import { imageRefused, Refusal } from '../refusal.js';
import { readRange, type TarRange } from './tar-index.js';

export type Compression = 'none' | 'gzip' | 'zstd';

/**
 * The most bytes that decompression may produce, those produced so far, and the zstd frames read.
 */
export interface UnpackedBudget {
  readonly limit: number;
  used: number;
  frames: number;
}

const CHUNK_BYTES = 64 * 1024;
/**
 * The most zstd frames of an image. Each needs its own decoder, which takes 0.1 ms even for an
 * empty frame.
 */
const FRAMES = 250_000;
/** A window of 32 MiB, the largest that image builders use at their highest level. */
const ZSTD = { params: { [constants.ZSTD_d_windowLogMax]: 25 } };
/**
 * The most compressed and decompressed bytes of a frame that is decompressed in one call, which is
 * five times as fast as a stream.
 */
const SMALL_FRAME_BYTES = 64 * 1024;
const SMALL_CONTENT_BYTES = 1024 * 1024;
/**
 * Bytes of a skippable frame's header: four of magic number and four of length (RFC 8878, 3.1.2).
 */
const SKIPPED_HEADER = 8;

/**
 * Detects the compression from the first bytes, as Docker does, because media types and names are
 * often wrong.
 * @throws Refusal for bzip2 and xz, which Docker accepts and the platform does not
 */
export async function compressionOf(file: FileHandle, { offset, size }: TarRange): Promise<Compression> {
  const magic = (await readRange(file, { offset, size: Math.min(size, 6) })).toString('hex');
  if (magic.startsWith('1f8b')) return 'gzip';
  // a zstd frame or a skippable frame (RFC 8878, 3.1)
  if (magic.startsWith('28b52ffd') || /^5.2a4d18/.test(magic)) return 'zstd';
  if (magic.startsWith('425a68')) throw imageRefused('It is compressed with bzip2. Use gzip or zstd.');
  if (magic.startsWith('fd377a585a00')) throw imageRefused('It is compressed with xz. Use gzip or zstd.');
  return 'none';
}

/**
 * Returns a pipeline stage that decompresses.
 * @throws Refusal as soon as the output exceeds what is left of `budget`
 */
export function unpacking(
  compression: Compression,
  budget: UnpackedBudget,
): (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void, undefined> {
  return async function* (chunks) {
    for await (const chunk of decompressed(compression, chunks, budget)) {
      budget.used += chunk.length;
      if (budget.used > budget.limit) {
        throw new Refusal('unpacked_too_large', `The unpacked image is too large: the limit is ${budget.limit} bytes.`);
      }
      yield chunk;
    }
  };
}

function decompressed(
  compression: Compression,
  chunks: AsyncIterable<Buffer>,
  budget: UnpackedBudget,
): AsyncIterable<Buffer> {
  switch (compression) {
    case 'none':
      return chunks;
    case 'gzip':
      return through(createGunzip({ chunkSize: CHUNK_BYTES }), chunks);
    case 'zstd':
      return zstdFrames(chunks, budget);
  }
}

async function* through(decoder: Transform, chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const feeding = pipeline(chunks, decoder).catch(() => undefined);
  try {
    for await (const chunk of decoder) yield chunk as Buffer;
  } finally {
    decoder.destroy();
    await feeding;
  }
}

/**
 * Decompresses all frames. Node's decoder silently stops after the first one, and `zstd:chunked`
 * layers have one frame per file.
 */
async function* zstdFrames(
  chunks: AsyncIterable<Buffer>,
  budget: UnpackedBudget,
): AsyncGenerator<Buffer, void, undefined> {
  const input = chunks[Symbol.asyncIterator]();
  for (let pending = await nextFrame(input, await nextOf(input)); pending.length > 0;) {
    if (++budget.frames > FRAMES) throw imageRefused(`The image has more than ${FRAMES} zstd frames.`);
    // lets other work of this process run
    if (budget.frames % 64 === 0) await setImmediate();
    const small = smallFrame(pending);
    if (small !== undefined) {
      if (small.content.length > 0) yield small.content;
      pending = await nextFrame(input, pending.subarray(small.consumed));
      continue;
    }
    const decoder = createZstdDecompress({ chunkSize: CHUNK_BYTES, ...ZSTD });
    const fed: Buffer[] = [];
    let dropped = 0;
    async function* feed(): AsyncGenerator<Buffer, void, undefined> {
      for (let next = pending; next.length > 0; next = await nextOf(input)) {
        while (fed.length > 0 && dropped + fed[0]!.length <= decoder.bytesWritten) dropped += fed.shift()!.length;
        fed.push(next);
        yield next;
      }
    }
    yield* through(decoder, feed());
    // usually one piece, which must not be copied for each of its frames
    const rest = fed.length === 1 ? fed[0]! : Buffer.concat(fed);
    pending = await nextFrame(input, rest.subarray(decoder.bytesWritten - dropped));
  }
}

/**
 * The content of the first frame of `bytes` if it is small and complete; otherwise undefined, and a
 * stream has to read it.
 */
function smallFrame(bytes: Buffer): { readonly content: Buffer; readonly consumed: number } | undefined {
  const limits = { chunkSize: SMALL_FRAME_BYTES, maxOutputLength: SMALL_CONTENT_BYTES };
  try {
    const { buffer, engine } = zstdDecompressSync(bytes.subarray(0, SMALL_FRAME_BYTES), {
      ...ZSTD,
      ...limits,
      info: true,
    }) as unknown as { readonly buffer: Buffer; readonly engine: { readonly bytesWritten: number } };
    return { content: buffer, consumed: engine.bytesWritten };
  } catch {
    return undefined;
  }
}

/**
 * Returns the input from the next frame on that is not skippable, starting with `rest`. Empty at
 * the end.
 */
async function nextFrame(input: AsyncIterator<Buffer>, rest: Buffer): Promise<Buffer> {
  for (let at = rest; ;) {
    while (at.length < SKIPPED_HEADER) {
      const more = await nextOf(input);
      if (more.length === 0) return at;
      at = at.length === 0 ? more : Buffer.concat([at, more]);
    }
    if ((at.readUInt32LE(0) & 0xfffffff0) >>> 0 !== 0x184d2a50) return at;
    let skipped = SKIPPED_HEADER + at.readUInt32LE(4);
    for (; skipped > at.length; at = await nextOf(input)) {
      if (at.length === 0) throw new Refusal('archive_truncated', 'Its compressed data ends early.');
      skipped -= at.length;
    }
    at = at.subarray(skipped);
  }
}

/** The next chunk; empty at the end. */
async function nextOf(input: AsyncIterator<Buffer>): Promise<Buffer> {
  const next = await input.next();
  return next.done ? Buffer.alloc(0) : next.value;
}
