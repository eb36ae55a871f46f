import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bundleRefused, quoted, Refusal } from '../refusal.js';

/**
 * A regular file of the archive and the path where it was written, under a name that the platform
 * chose, never its own.
 */
export interface UnpackedFile {
  /** The path in the archive: relative, with `/` between folders, without `.` and `..`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

export interface UnpackingLimits {
  /** The most bytes of all files together. */
  readonly maxUnpackedBytes: number;
  /** Size of the archive in bytes. Bounds the ratio of compression. */
  readonly packedBytes?: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_ENTRIES = 10_000;
/** How many times the size of the archive its files may have. Weights compress hardly at all, JSON about ten times. */
const MAX_RATIO = 100;
/** Bytes that any archive may unpack to. */
const MIN_UNPACKED = 64 * 2 ** 20;
const MAX_NAME = 512;
/** The levels of `folder/file`: nothing deeper is part of a bundle. */
const DEPTH = 2;
const WHITEOUT = '.wh.';
const ELF = Buffer.from('\x7fELF', 'latin1');
const SHARED_OBJECT = /\.(so(\.[\d.]+)?|dll|dylib|node|pyd)$/i;

/**
 * Takes the entries of an archive in any order and writes the regular files of its first two levels
 * into `folder`.
 * @throws Refusal at the first entry that is not allowed in a bundle
 */
export class Unpacking {
  readonly files: UnpackedFile[] = [];
  private readonly seen = new Set<string>();
  private readonly written: string[] = [];
  private bytes = 0;
  private entries = 0;

  constructor(
    private readonly folder: string,
    private readonly limits: UnpackingLimits,
  ) {}

  /** Checks an entry's name and returns it in normal form; null if the entry is left out. */
  entryName(raw: string): string | null {
    this.limits.signal?.throwIfAborted();
    const name = safeName(raw);
    if (name === '' || isLitter(name)) return null;
    // a file system that ignores case would confuse the two
    const key = name.normalize('NFC').toLowerCase();
    if (this.seen.has(key)) throw bundleRefused(`The archive has two entries named ${quoted(name)}.`);
    this.seen.add(key);
    return name;
  }

  /** Counts an entry. Call for each entry, including folders and those that are left out. */
  count(): void {
    if (++this.entries > MAX_ENTRIES) throw bundleRefused(`The archive has more than ${MAX_ENTRIES} entries.`);
  }

  /** Refuses an archive by its declared size, before anything is written. */
  announce(bytes: number): void {
    this.expectRoomFor(bytes);
  }

  /**
   * Writes one regular file, or only reads it if it is too deep to belong to a bundle.
   * @param each receives every chunk
   */
  async write(name: string, content: AsyncIterable<Buffer>, each?: (chunk: Buffer) => void): Promise<void> {
    if (SHARED_OBJECT.test(name)) {
      throw bundleRefused(`${quoted(name)} is a shared object; a bundle must not contain code.`);
    }
    const kept = name.split('/').length <= DEPTH;
    const path = join(this.folder, `f${this.files.length}`);
    await using file = kept ? await open(path, 'wx', 0o644) : null;
    if (kept) this.written.push(path);
    let size = 0;
    for await (const chunk of content) {
      this.limits.signal?.throwIfAborted();
      if (size === 0 && chunk.subarray(0, ELF.length).equals(ELF)) {
        throw bundleRefused(`${quoted(name)} is machine code (ELF); a bundle must not contain code.`);
      }
      size += chunk.length;
      this.bytes += chunk.length;
      this.expectRoomFor(this.bytes);
      each?.(chunk);
      for (let done = 0; file !== null && done < chunk.length;) {
        done += (await file.write(chunk, done)).bytesWritten;
      }
    }
    if (kept) this.files.push({ name, path, size });
  }

  /** Removes the files that were written. */
  async discard(): Promise<void> {
    for (const path of this.written) await rm(path, { force: true });
  }

  private expectRoomFor(bytes: number): void {
    const { maxUnpackedBytes, packedBytes = Infinity } = this.limits;
    if (bytes > maxUnpackedBytes) {
      const text = `The bundle unpacks to ${bytes} bytes or more; the limit is ${maxUnpackedBytes}.`;
      throw new Refusal('unpacked_too_large', text);
    }
    if (bytes > Math.max(MIN_UNPACKED, MAX_RATIO * packedBytes)) {
      throw bundleRefused(
        `The bundle unpacks to more than ${MAX_RATIO} times the ${packedBytes} bytes of its archive.`,
      );
    }
  }
}

function safeName(raw: string): string {
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  const escapes = raw.startsWith('/') || /^[A-Za-z]:/.test(raw) || raw.includes('\\') || parts.includes('..');
  if (escapes) throw bundleRefused(`The entry ${quoted(raw)} would leave the bundle's folder.`);
  if (raw.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(raw)) {
    throw bundleRefused(`The archive has an entry with an invalid name: ${quoted(raw)}.`);
  }
  // Docker treats a file of such a name as a whiteout: it hides another file, or the layer made
  // from the bundle cannot be loaded
  if (parts.some((part) => part.startsWith(WHITEOUT))) {
    throw bundleRefused(
      `The entry ${quoted(raw)} has a name that begins with "${WHITEOUT}", which images reserve for removed files. Rename it and all references to it, or leave it out.`,
    );
  }
  return parts.join('/');
}

/** Returns whether `name` is a file that desktop archivers add. */
function isLitter(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(name);
}
