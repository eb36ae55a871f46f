import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress } from 'node:zlib';
import { pack, type Header } from 'tar-stream';

/** Bytes in the order of the file. Each piece is valid until the next one is requested. */
export type Pieces = AsyncIterable<Buffer> | Iterable<Buffer>;

type TarHeader = Partial<Header> & Pick<Header, 'name'>;

/** One entry of a tar; without content it is a folder or a link. */
export interface TarEntry {
  readonly header: TarHeader;
  readonly content?: Pieces;
}

const BLOCK = 512;
const PIECE = 1 << 20;
const ZEROS = Buffer.alloc(2 * BLOCK);

/**
 * Yields the bytes of an uncompressed tar. `tar-stream` makes the headers; contents pass through
 * uncopied. With its streams, an image of 130 MB would allocate as many bytes outside V8's heap,
 * and V8 would collect the whole heap several times.
 *
 * @throws Error if a content is longer or shorter than its header says
 */
export async function* tarPieces(entries: Iterable<TarEntry>): AsyncGenerator<Buffer> {
  for (const { header, content = [] } of entries) {
    yield await encodedHeader(header);
    let size = 0;
    for await (const piece of content) {
      size += piece.length;
      yield piece;
    }
    if (size !== (header.size ?? 0)) {
      throw new Error(`The content of ${header.name} has ${size} bytes, not ${header.size ?? 0}.`);
    }
    yield ZEROS.subarray(0, (BLOCK - (size % BLOCK)) % BLOCK);
  }
  yield ZEROS;
}

/** Yields the content of a file through one reused buffer. */
export async function* filePieces(path: string, size: number): AsyncGenerator<Buffer> {
  await using file = await open(path);
  // one byte more than needed, so that a file that has grown is noticed
  const buffer = Buffer.allocUnsafeSlow(Math.min(size + 1, PIECE));
  for (;;) {
    const { bytesRead } = await file.read(buffer, 0, buffer.length, null);
    if (bytesRead === 0) return;
    yield buffer.subarray(0, bytesRead);
  }
}

/**
 * Writes a file at `path` and replaces an existing one; compresses with zstd if the path ends with
 * `.zst`.
 */
export async function writePieces(path: string, pieces: Pieces): Promise<void> {
  if (path.endsWith('.zst')) return writeCompressed(path, pieces);
  await using file = await open(path, 'w');
  for await (const piece of pieces) await file.writeFile(piece);
}

async function writeCompressed(path: string, pieces: Pieces): Promise<void> {
  const zstd = createZstdCompress({ params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const written = pipeline(zstd, createWriteStream(path));
  const source = (async () => {
    for await (const piece of pieces) {
      // the piece is valid until it is compressed
      await new Promise<void>((settle, reject) => zstd.write(piece, (error) => (error ? reject(error) : settle())));
    }
    zstd.end();
  })().catch((error: unknown) => void zstd.destroy(error as Error));
  await Promise.all([source, written]);
}

/** Encodes the header as in the tar, with the extended header that a long name needs. */
async function encodedHeader(header: TarHeader): Promise<Buffer> {
  const tar = pack();
  // the entry is never written, so it fails when the tar is destroyed
  tar.entry({ ...header }).on('error', () => undefined);
  await once(tar, 'readable');
  const parts: Buffer[] = [];
  for (let part = tar.read() as Buffer | null; part !== null; part = tar.read() as Buffer | null) parts.push(part);
  tar.destroy();
  return Buffer.concat(parts);
}
