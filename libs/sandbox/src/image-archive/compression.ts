import type { FileHandle } from 'node:fs/promises';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';

import { ImageRefusal } from './image-refusal.js';
import { readRange, type TarRange } from './tar-index.js';

export type Compression = 'none' | 'gzip' | 'zstd';

/** Bytes that may still come out of compressed data. */
export interface UnpackedBudget {
  readonly limit: number;
  used: number;
}

const CHUNK_BYTES = 256 * 1024;

/** By the first bytes, as docker does: media types and names are often wrong. Throws `ImageRefusal` for what docker knows and we don't. */
export async function compressionOf(file: FileHandle, { offset, size }: TarRange): Promise<Compression> {
  const magic = (await readRange(file, { offset, size: Math.min(size, 6) })).toString('hex');
  if (magic.startsWith('1f8b')) return 'gzip';
  // a zstd frame, or one that is to be skipped (RFC 8878, 3.1)
  if (magic.startsWith('28b52ffd') || /^5.2a4d18/.test(magic)) return 'zstd';
  if (magic.startsWith('425a68'))
    throw new ImageRefusal('image_refused', 'It is compressed with bzip2: use gzip or zstd.');
  if (magic.startsWith('fd377a585a00'))
    throw new ImageRefusal('image_refused', 'It is compressed with xz: use gzip or zstd.');
  return 'none';
}

/** A stage of a pipeline that undoes `compression`, and throws `ImageRefusal` as soon as more comes out than `budget` has left. */
export function unpacking(
  compression: Compression,
  budget: UnpackedBudget,
): (chunks: AsyncIterable<Buffer>) => AsyncGenerator<Buffer, void, undefined> {
  return async function* (chunks) {
    for await (const chunk of decompressed(compression, chunks)) {
      budget.used += chunk.length;
      if (budget.used > budget.limit) {
        throw new ImageRefusal(
          'unpacked_too_large',
          `The image unpacks to more than the ${budget.limit} bytes allowed.`,
        );
      }
      yield chunk;
    }
  };
}

function decompressed(compression: Compression, chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  switch (compression) {
    case 'none':
      return chunks;
    case 'gzip':
      return through(createGunzip({ chunkSize: CHUNK_BYTES }), chunks);
    case 'zstd':
      return zstdFrames(chunks);
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

/** Node's decoder stops after one frame, without a word; `zstd:chunked` layers have one for each file. */
async function* zstdFrames(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  const input = chunks[Symbol.asyncIterator]();
  let pending = await nextOf(input);
  while (pending.length > 0) {
    const decoder = createZstdDecompress({ chunkSize: CHUNK_BYTES });
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
    const rest = Buffer.concat(fed).subarray(decoder.bytesWritten - dropped);
    pending = rest.length > 0 ? rest : await nextOf(input);
  }
}

/** Empty at the end. */
async function nextOf(input: AsyncIterator<Buffer>): Promise<Buffer> {
  const next = await input.next();
  return next.done ? Buffer.alloc(0) : next.value;
}
