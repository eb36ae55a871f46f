import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { TAR_BLOCK, tarPadding } from './tar-header.js';
import { indexTar, readRange, type TarRange } from './tar-index.js';

const READ_BYTES = 1024 * 1024;

/** A docker-archive as it is sent to an engine. */
export interface SentArchive {
  readonly content: Readable;
  /** In bytes. */
  readonly size: number;
  /** The lowest layers (`sha256:…`, uncompressed), which the engine has; their bytes are left out. */
  readonly leftOut: readonly string[];
}

/**
 * Reads a docker-archive of the platform, without those layers that the engine already has. An engine
 * that has a layer, and all layers below it, does not look at its bytes.
 *
 * @param path a tar with a single image, as the platform writes it
 * @param present returns how many of the lowest layers (`sha256:…`, uncompressed) the engine has
 */
export async function partialArchive(
  path: string,
  present: (layers: readonly string[]) => Promise<number>,
): Promise<SentArchive> {
  const file = await open(path, 'r');
  try {
    const { size } = await file.stat();
    const { files } = await indexTar(file);
    const [{ Config, Layers }] = (await jsonOf(file, files.get('manifest.json')!)) as [ArchiveManifest];
    const { rootfs } = (await jsonOf(file, files.get(Config)!)) as ImageConfiguration;
    const leftOut = rootfs.diff_ids.slice(0, await present(rootfs.diff_ids));
    // a layer that occurs again above these is still needed
    const needed = new Set(Layers.slice(leftOut.length));
    const names = Layers.slice(0, leftOut.length).filter((name) => !needed.has(name));
    const kept = rangesBeside(
      names.flatMap((name) => files.get(name) ?? []),
      size,
    );
    return {
      content: Readable.from(bytesOf(file, kept), { objectMode: false }),
      size: kept.reduce((sum, range) => sum + range.size, 0),
      leftOut,
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

interface ArchiveManifest {
  /** The name of the configuration. */
  readonly Config: string;
  /** The names of the layers, lowest first. */
  readonly Layers: readonly string[];
}

interface ImageConfiguration {
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

const jsonOf = async (file: FileHandle, range: TarRange): Promise<unknown> =>
  JSON.parse((await readRange(file, range)).toString());

/** Returns the ranges of an archive of `size` bytes that are left without these entries and their headers. */
function rangesBeside(entries: readonly TarRange[], size: number): TarRange[] {
  const kept: TarRange[] = [];
  let position = 0;
  for (const entry of [...entries].sort((one, other) => one.offset - other.offset)) {
    const start = entry.offset - TAR_BLOCK;
    if (start > position) kept.push({ offset: position, size: start - position });
    position = Math.max(position, entry.offset + entry.size + tarPadding(entry.size));
  }
  if (size > position) kept.push({ offset: position, size: size - position });
  return kept;
}

/** Yields the ranges, and closes the file. */
async function* bytesOf(file: FileHandle, ranges: readonly TarRange[]): AsyncGenerator<Buffer> {
  try {
    for (const { offset, size } of ranges) {
      for (let done = 0; done < size; done += READ_BYTES) {
        yield await readRange(file, { offset: offset + done, size: Math.min(READ_BYTES, size - done) });
      }
    }
  } finally {
    await file.close();
  }
}
