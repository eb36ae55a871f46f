import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { BundleRefusal, shown } from './bundle-refusal.js';

/** A regular file of the archive, and where it was written: under a name of ours, never under its own. */
export interface UnpackedFile {
  /** Its path in the archive: relative, `/` between folders, without `.` and `..`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

export interface UnpackingLimits {
  /** Bytes of all files together. */
  readonly maxUnpackedBytes: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_ENTRIES = 10_000;
const MAX_NAME = 512;
/** `folder/file`: nothing deeper is part of a bundle. */
const DEPTH = 2;
const WHITEOUT = '.wh.';
const ELF = Buffer.from('\x7fELF', 'latin1');
const SHARED_OBJECT = /\.(so(\.[\d.]+)?|dll|dylib|node|pyd)$/i;

/**
 * Takes the entries of an archive in any order and writes the regular files of its first two levels into `folder`. Throws
 * `BundleRefusal` at the first entry that has no place in a bundle.
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

  /** Checks an entry's name, and gives it as it is compared from then on. `null`: an entry that is left out. */
  entryName(raw: string): string | null {
    this.limits.signal?.throwIfAborted();
    const name = safeName(raw);
    if (name === '' || isLitter(name)) return null;
    // a file system that ignores case would take the later for the earlier
    const key = name.normalize('NFC').toLowerCase();
    if (this.seen.has(key)) throw new BundleRefusal('bundle_refused', `The archive has two entries ${shown(name)}.`);
    this.seen.add(key);
    return name;
  }

  /** To be called for each entry, folders and what is left out among them. */
  count(): void {
    if (++this.entries > MAX_ENTRIES) {
      throw new BundleRefusal('bundle_refused', `The archive has more than ${MAX_ENTRIES} entries.`);
    }
  }

  /** Refuses an archive by what it says of itself, before anything of it is written. */
  announce(bytes: number): void {
    if (bytes > this.limits.maxUnpackedBytes) throw this.tooLarge(bytes);
  }

  /** Writes one regular file, or reads over it where it lies too deep to belong to a bundle. `each` is shown every chunk. */
  async write(name: string, content: AsyncIterable<Buffer>, each?: (chunk: Buffer) => void): Promise<void> {
    if (SHARED_OBJECT.test(name)) {
      throw new BundleRefusal('bundle_refused', `${shown(name)} is a shared object; a bundle brings no code.`);
    }
    const kept = name.split('/').length <= DEPTH;
    const path = join(this.folder, `f${this.files.length}`);
    const file = kept ? await open(path, 'wx', 0o644) : null;
    if (kept) this.written.push(path);
    let size = 0;
    try {
      for await (const chunk of content) {
        this.limits.signal?.throwIfAborted();
        if (size === 0 && chunk.subarray(0, ELF.length).equals(ELF)) {
          throw new BundleRefusal('bundle_refused', `${shown(name)} is machine code (ELF); a bundle brings no code.`);
        }
        size += chunk.length;
        this.bytes += chunk.length;
        if (this.bytes > this.limits.maxUnpackedBytes) throw this.tooLarge(this.bytes);
        each?.(chunk);
        for (let done = 0; file !== null && done < chunk.length;) {
          done += (await file.write(chunk, done)).bytesWritten;
        }
      }
    } finally {
      await file?.close();
    }
    if (kept) this.files.push({ name, path, size });
  }

  /** Removes what was written. */
  async discard(): Promise<void> {
    for (const path of this.written) await rm(path, { force: true });
  }

  private tooLarge(bytes: number): BundleRefusal {
    return new BundleRefusal(
      'unpacked_too_large',
      `The bundle unpacks to ${bytes} bytes or more; ${this.limits.maxUnpackedBytes} are allowed.`,
    );
  }
}

function safeName(raw: string): string {
  const parts = raw.split('/').filter((part) => part !== '' && part !== '.');
  const escapes = raw.startsWith('/') || /^[A-Za-z]:/.test(raw) || raw.includes('\\') || parts.includes('..');
  if (escapes) throw new BundleRefusal('bundle_refused', `The entry ${shown(raw)} would leave the bundle's folder.`);
  if (raw.length > MAX_NAME || /[\u0000-\u001f\u007f]/.test(raw)) {
    throw new BundleRefusal('bundle_refused', `The archive has an entry with an unusable name: ${shown(raw)}.`);
  }
  // docker takes a file of such a name for a mark: it hides another, or the layer made of the bundle can't be loaded
  if (parts.some((part) => part.startsWith(WHITEOUT))) {
    throw new BundleRefusal(
      'bundle_refused',
      `The entry ${shown(raw)} has a name that begins with "${WHITEOUT}", by which images mark what is removed. Rename it and what refers to it, or leave it out.`,
    );
  }
  return parts.join('/');
}

/** What archivers of desktops add. */
function isLitter(name: string): boolean {
  return name.startsWith('__MACOSX/') || /(^|\/)(\._[^/]*|\.DS_Store|Thumbs\.db|desktop\.ini)$/.test(name);
}
