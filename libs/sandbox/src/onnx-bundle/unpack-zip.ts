import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { open as openZip, type Entry, type Options, type ZipFile } from 'yauzl';
import { bundleRefused, quoted, Refusal, sentence } from '../refusal.js';
import type { Unpacking } from './unpacking.js';

const FILE_TYPE = 0o170000;
const REGULAR = 0o100000;
const DIRECTORY = 0o040000;
const STORED = 0;
const DEFLATED = 8;
/**
 * The most bytes of names, extra fields and comments. yauzl creates an object for every four bytes
 * of extra fields.
 */
const MAX_DIRECTORY = 1024 * 1024;

/** The part of yauzl 3 that its published types do not declare. */
interface LocalHeaders {
  readLocalFileHeader(
    entry: Entry,
    options: { minimal: true },
    callback: (error: Error | null, header: { fileDataStart: number }) => void,
  ): void;
}

/**
 * Unpacks a zip. Checks the whole central directory, including overlaps, before it inflates the
 * first byte.
 */
export async function unpackZip(path: string, unpacking: Unpacking): Promise<void> {
  const zip = await opened(path);
  try {
    const entries = await entriesOf(zip, unpacking);
    const names = entries.map((entry) => (entry.fileName.endsWith('/') ? null : unpacking.entryName(entry.fileName)));
    entries.forEach(checkKind);
    unpacking.announce(entries.reduce((sum, entry) => sum + entry.uncompressedSize, 0));
    await checkOverlaps(zip, entries);
    for (const [index, entry] of entries.entries()) {
      const name = names[index];
      if (name !== null && name !== undefined) await unpackEntry(zip, entry, name, unpacking);
    }
  } finally {
    zip.close();
  }
}

async function opened(path: string): Promise<ZipFile> {
  const options: Options = { lazyEntries: true, autoClose: false, strictFileNames: true };
  try {
    return await promisify<string, Options, ZipFile>(openZip)(path, options);
  } catch (error) {
    throw damaged(error);
  }
}

function entriesOf(zip: ZipFile, unpacking: Unpacking): Promise<Entry[]> {
  const entries: Entry[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    zip.on('entry', (entry: Entry) => {
      entries.push(entry);
      bytes += entry.fileNameLength + entry.extraFieldLength + entry.fileCommentLength;
      try {
        unpacking.count();
        if (bytes > MAX_DIRECTORY) throw bundleRefused(`The zip's directory has more than ${MAX_DIRECTORY} bytes.`);
        zip.readEntry();
      } catch (error) {
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
    zip.once('end', () => resolve(entries));
    zip.once('error', (error: Error) => reject(malformed(error)));
    zip.readEntry();
  });
}

function checkKind(entry: Entry): void {
  const name = quoted(entry.fileName);
  if (entry.isEncrypted()) throw bundleRefused(`The entry ${name} is encrypted.`);
  if (entry.compressionMethod !== STORED && entry.compressionMethod !== DEFLATED) {
    throw bundleRefused(`The entry ${name} has the compression method ${entry.compressionMethod}. Use deflate.`);
  }
  // the upper half is the Unix mode, or 0 if another system wrote the archive
  const type = (entry.externalFileAttributes >>> 16) & FILE_TYPE;
  if (type !== 0 && type !== REGULAR && type !== DIRECTORY) {
    throw bundleRefused(`The entry ${name} is a symbolic link or device, not a file.`);
  }
}

/**
 * Refuses entries that share bytes, which let a small zip unpack to any size (Fifield 2019, "A
 * better zip bomb").
 */
async function checkOverlaps(zip: ZipFile, entries: readonly Entry[]): Promise<void> {
  const headers = zip as unknown as LocalHeaders;
  const ranges = [];
  for (const entry of entries) {
    const { fileDataStart } = await new Promise<{ fileDataStart: number }>((resolve, reject) => {
      headers.readLocalFileHeader(entry, { minimal: true }, (error, header) => {
        if (error) reject(malformed(error));
        else resolve(header);
      });
    });
    const end = fileDataStart + entry.compressedSize;
    ranges.push({ name: entry.fileName, start: entry.relativeOffsetOfLocalHeader, end });
  }
  ranges.sort((a, b) => a.start - b.start);
  for (const [index, range] of ranges.entries()) {
    const next = ranges[index + 1];
    if (next !== undefined && next.start < range.end) {
      throw bundleRefused(`The entries ${quoted(range.name)} and ${quoted(next.name)} of the zip overlap.`);
    }
  }
}

async function unpackEntry(zip: ZipFile, entry: Entry, name: string, unpacking: Unpacking): Promise<void> {
  const openReadStream = promisify<Entry, NodeJS.ReadableStream>(zip.openReadStream.bind(zip));
  let checksum = 0;
  try {
    const content = await openReadStream(entry);
    // the stream may fail before it is read, and an unhandled 'error' event ends the process; the
    // reader gets the error again
    content.on('error', () => undefined);
    await unpacking.write(name, content as AsyncIterable<never>, (chunk) => (checksum = crc32(chunk, checksum)));
  } catch (error) {
    throw isSystemError(error) ? error : damaged(error, name);
  }
  if (checksum !== entry.crc32) {
    throw new Refusal('archive_truncated', `The checksum of ${quoted(name)} is wrong. The zip is damaged.`);
  }
}

function damaged(error: unknown, name?: string): Error {
  if (error instanceof Refusal || isSystemError(error)) return error as Error;
  const { message } = error as Error;
  if ((error as Error).name === 'AbortError') return error as Error;
  const where = name === undefined ? '' : ` at ${quoted(name)}`;
  return new Refusal('archive_truncated', `The zip is damaged or truncated${where}: ${sentence(message)}`, {
    cause: error,
  });
}

function malformed(error: Error): Error {
  if (/unexpected EOF|overflows file bounds|signature/.test(error.message)) return damaged(error);
  return bundleRefused(`The zip cannot be read: ${sentence(error.message)}`, { cause: error });
}

/** Returns whether the disk or the platform is at fault, not the archive. */
function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
