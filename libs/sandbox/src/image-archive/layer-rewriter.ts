import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { extract } from 'tar-stream';

import { compressionOf, type UnpackedBudget, unpacking } from './compression.js';
import { dataFault } from './data-fault.js';
import type { ImageContents } from './image-contents.js';
import { ImageRefusal } from './image-refusal.js';
import { encodeTarHeader, TAR_BLOCK, tarPadding } from './tar-header.js';
import { chunksOf, type TarRange } from './tar-index.js';

/**
 * The uncompressed tar that the platform writes for a submitted layer, as it streams. Throws `ImageRefusal` for what is wrong with the
 * layer (`contents` has to be at its start), at the latest when all of it was read and its digest isn't `diffId`: what was written until then is worth nothing.
 */
export async function* rewriteLayer(
  file: FileHandle,
  range: TarRange,
  diffId: string,
  contents: ImageContents,
  budget: UnpackedBudget,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const compression = await compressionOf(file, range);
  const hash = createHash('sha256');
  async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }

  const entries = extract();
  const reading = pipeline(
    chunksOf(file, range),
    unpacking(compression, budget),
    hashed,
    entries as unknown as Writable,
    signal ? { signal } : {},
  );
  // heard of below; until then it must not count as unhandled
  const ended = reading.then(
    () => undefined,
    (error: unknown) => error,
  );

  try {
    for await (const entry of entries) {
      const placed = contents.place(entry.header);
      if (placed !== null) yield encodeTarHeader(placed);
      if (placed === null || placed.size === 0) {
        entry.resume();
        continue;
      }
      for await (const chunk of entry) yield chunk as Buffer;
      yield Buffer.alloc(tarPadding(placed.size));
    }
    await reading;
  } catch (error) {
    if (error instanceof ImageRefusal) throw error;
    entries.destroy();
    throw dataFault((await ended) ?? error);
  } finally {
    entries.destroy();
    await ended;
  }

  const digest = `sha256:${hash.digest('hex')}`;
  if (digest !== diffId) {
    throw new ImageRefusal(
      'image_refused',
      `Its digest is ${digest}, but the configuration of the image says ${diffId}.`,
    );
  }
  yield Buffer.alloc(2 * TAR_BLOCK);
}
