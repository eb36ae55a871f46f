import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import { boundedTar, type HeaderBudget } from '../bounded-tar.js';
import { imageRefused, Refusal } from '../refusal.js';
import { compressionOf, type UnpackedBudget, unpacking } from './compression.js';
import { dataFault } from './data-fault.js';
import type { ImageContents } from './image-contents.js';
import { encodeTarHeader, TAR_BLOCK, tarPadding } from './tar-header.js';
import type { ArchivedFile } from './image-manifest.js';
import { chunksOf } from './tar-index.js';

/**
 * Streams the uncompressed tar that the platform writes for a submitted layer. `contents` must be
 * at the start of the layer.
 *
 * @throws Refusal if the layer is not acceptable. That includes a digest that is not `diffId`
 * and packed bytes that do not match the digest in the archive, which are known only after all of
 * it is read; discard the output then.
 */
export async function* rewriteLayer(
  file: FileHandle,
  layer: ArchivedFile,
  diffId: string,
  contents: ImageContents,
  budget: UnpackedBudget & HeaderBudget,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, undefined> {
  const compression = await compressionOf(file, layer);
  const hash = createHash('sha256');
  const packed = new PackedDigest(file, layer);
  async function* hashed(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
    for await (const chunk of chunks) {
      hash.update(chunk);
      yield chunk;
    }
  }

  const entries = boundedTar(budget, imageRefused);
  const reading = pipeline(
    packed.chunks(),
    unpacking(compression, budget),
    hashed,
    entries as unknown as Writable,
    signal ? { signal } : {},
  );
  // awaited below; until then a rejection must not count as unhandled
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
    if (error instanceof Refusal) throw error;
    entries.destroy();
    throw dataFault((await ended) ?? error);
  } finally {
    entries.destroy();
    await ended;
  }

  const digest = `sha256:${hash.digest('hex')}`;
  if (digest !== diffId) {
    throw imageRefused(`Its digest is ${digest}, but the configuration of the image states ${diffId}.`);
  }
  await packed.check();
  yield Buffer.alloc(2 * TAR_BLOCK);
}

/**
 * Compares the packed bytes of a layer with the digest that the archive states, if it states one.
 */
class PackedDigest {
  private readonly hash = createHash('sha256');
  private read = 0;

  constructor(
    private readonly file: FileHandle,
    private readonly layer: ArchivedFile,
  ) {}

  async *chunks(): AsyncGenerator<Buffer, void, undefined> {
    const { offset, size } = this.layer;
    for await (const chunk of chunksOf(this.file, { offset: offset + this.read, size: size - this.read })) {
      this.read += chunk.length;
      if (this.layer.digest !== undefined) this.hash.update(chunk);
      yield chunk;
    }
  }

  /**
   * Checks the digest. Call after the content was read.
   * @throws Refusal if the digests differ
   */
  async check(): Promise<void> {
    if (this.layer.digest === undefined) return;
    // reads what follows the end of the compressed data
    const rest = this.chunks();
    while (!(await rest.next()).done);
    const digest = `sha256:${this.hash.digest('hex')}`;
    if (digest === this.layer.digest) return;
    throw imageRefused(`The digest of its packed bytes is ${digest}, but the archive states ${this.layer.digest}.`);
  }
}
