import { createReadStream } from 'node:fs';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import type { Header } from 'tar-stream';
import { boundedTar } from '../bounded-tar.js';
import { bundleRefused, quoted, Refusal, sentence } from '../refusal.js';
import type { Unpacking, UnpackingLimits } from './unpacking.js';

const BLOCK = 512;
/** The most bytes of headers and padding besides the files of an archive. */
const MAX_FRAMING = 16 * 1024 * 1024;

/** The entries that `tar-stream` yields; its own types do not declare them. */
interface TarEntry extends AsyncIterable<Buffer> {
  readonly header: Header;
  resume(): void;
}

/** Unpacks a tar, gzipped or not. */
export async function unpackTar(
  path: string,
  compression: 'gzip' | 'none',
  unpacking: Unpacking,
  limits: UnpackingLimits,
): Promise<void> {
  const tar = boundedTar({ bytes: 0 }, bundleRefused);
  const end = new EndMarker(limits.maxUnpackedBytes + MAX_FRAMING);
  const inflate = compression === 'gzip' ? [createGunzip()] : [];
  const feeding = pipeline([createReadStream(path), ...inflate, end, tar]);
  // an error that stops the pipeline also ends the loop below, which reports it
  feeding.catch(() => undefined);

  let entries = 0;
  try {
    for await (const entry of tar as unknown as AsyncIterable<TarEntry>) {
      entries++;
      await unpackEntry(entry, unpacking);
    }
    await feeding;
  } catch (error) {
    throw refusalOf(error as NodeJS.ErrnoException, entries);
  }
  if (entries === 0) throw new Refusal('not_a_bundle', 'The archive has no entries.');
  if (!end.isThere) {
    throw new Refusal('archive_truncated', `The tar is truncated: no end marker after ${entries} entries.`);
  }
}

async function unpackEntry(entry: TarEntry, unpacking: Unpacking): Promise<void> {
  const { header } = entry;
  const type: string = header.type ?? 'special file';
  if (type !== 'file' && type !== 'contiguous-file' && type !== 'directory') {
    throw bundleRefused(`The entry ${quoted(header.name)} is a ${type}, not a file.`);
  }
  unpacking.count();
  const name = type === 'directory' ? null : unpacking.entryName(header.name);
  if (name === null) entry.resume();
  else await unpacking.write(name, entry);
}

function refusalOf(error: NodeJS.ErrnoException, entries: number): Error {
  if (error instanceof Refusal || error.name === 'AbortError' || error.syscall !== undefined) return error;
  if (entries === 0 && /Invalid tar header|incorrect header check/.test(error.message)) {
    return new Refusal('not_a_bundle', 'The file is neither a zip nor a tar.', { cause: error });
  }
  return new Refusal(
    'archive_truncated',
    `The tar is damaged or truncated after ${entries} entries: ${sentence(error.message)}`,
    { cause: error },
  );
}

/**
 * Observes a tar as it streams: its inflated size, and whether it ends with a block of zeros, as
 * every complete tar does.
 */
class EndMarker extends Transform {
  private bytes = 0;
  private zeros = 0;

  constructor(private readonly maxBytes: number) {
    super();
  }

  get isThere(): boolean {
    return this.zeros >= BLOCK;
  }

  override _transform(chunk: Buffer, _: BufferEncoding, done: (error: Error | null, chunk?: Buffer) => void): void {
    this.bytes += chunk.length;
    if (this.bytes > this.maxBytes) {
      done(
        new Refusal('unpacked_too_large', `The unpacked archive is too large: the limit is ${this.maxBytes} bytes.`),
      );
      return;
    }
    let at = chunk.length;
    while (at > 0 && chunk[at - 1] === 0) at--;
    this.zeros = at === 0 ? this.zeros + chunk.length : chunk.length - at;
    done(null, chunk);
  }
}
