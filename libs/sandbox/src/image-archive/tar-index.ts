import type { FileHandle } from 'node:fs/promises';

import { imageRefused, quoted, Refusal } from '../refusal.js';
import { TAR_BLOCK, tarChecksum, tarPadding } from './tar-header.js';

/** The position of a file's content in the archive, in bytes. */
export interface TarRange {
  readonly offset: number;
  readonly size: number;
}

export interface TarIndex {
  /** Regular files, and the files to which links lead, by name without a leading `/` or `./`. */
  readonly files: ReadonlyMap<string, TarRange>;
  /** True if the archive has its end marker. Without one, missing files were cut off. */
  readonly complete: boolean;
}

interface Header {
  readonly name: string;
  readonly target: string;
  readonly size: number;
  readonly type: string;
}

const ENTRIES = 20_000;
const EXTENSION_BYTES = 64 * 1024;
const NAME_BYTES = 4096;
/** The most bytes of all names together, which are stored in memory. */
const MAX_NAME_BYTES = 16 * 1024 * 1024;
const LINK_HOPS = 10;
/**
 * Bytes of a streamed chunk. Small, so that the allocator reuses the same memory; larger chunks
 * occupy memory until garbage is collected.
 */
const CHUNK_BYTES = 32 * 1024;

/**
 * Indexes a tar on disk from its headers alone. Skips the contents, which `tar-stream` cannot, so a
 * tar of 10 GB costs a few hundred reads.
 * @throws Refusal if the file is not a tar, is damaged, or exceeds a limit
 */
export async function indexTar(file: FileHandle): Promise<TarIndex> {
  const { size: end } = await file.stat();
  const files = new Map<string, TarRange>();
  const links = new Map<string, string>();
  let extension: { name?: string; target?: string; size?: number } = {};
  let entries = 0;
  let kept = 0;

  for (let position = 0; ;) {
    if (position + TAR_BLOCK > end) {
      if (position === 0) throw new Refusal('not_an_image', `The file is not a tar: it has ${end} bytes.`);
      return { files: resolved(files, links), complete: false };
    }
    const block = await readRange(file, { offset: position, size: TAR_BLOCK });
    if (block.every((byte) => byte === 0)) {
      if (position === 0) throw new Refusal('not_an_image', 'The file is not a tar: it starts with zeros.');
      return { files: resolved(files, links), complete: true };
    }
    if (++entries > ENTRIES) throw imageRefused(`The archive has more than ${ENTRIES} entries.`);

    const plain = decodeHeader(block, position);
    const isExtension = 'xgLK'.includes(plain.type);
    const header = isExtension ? plain : { ...plain, ...extension };
    const range = { offset: position + TAR_BLOCK, size: header.size };
    if (range.offset + range.size > end) {
      throw new Refusal(
        'archive_truncated',
        `The archive ends at byte ${end}, within ${quoted(header.name)}, which should continue to byte ${range.offset + range.size}.`,
      );
    }
    position = range.offset + range.size + tarPadding(range.size);

    if (isExtension) {
      if (range.size > EXTENSION_BYTES) {
        throw imageRefused(
          `The archive has an extended header of ${range.size} bytes; the limit is ${EXTENSION_BYTES}.`,
        );
      }
      extension = { ...extension, ...decodeExtension(plain.type, await readRange(file, range)) };
      continue;
    }
    extension = {};

    kept += checkedLength(header.name, position) + checkedLength(header.target, position);
    if (kept > MAX_NAME_BYTES) throw imageRefused(`The names in the archive take more than ${MAX_NAME_BYTES} bytes.`);
    const name = archiveName(header.name);
    switch (header.type) {
      case '\0':
      case '0':
      case '7':
        links.delete(name);
        files.set(name, range);
        break;
      case '1':
        links.set(name, archiveName(header.target));
        break;
      case '2':
        links.set(name, archiveName(`${name.slice(0, name.lastIndexOf('/') + 1)}${header.target}`));
        break;
      case '5':
        break;
      default:
        throw imageRefused(`The archive contains ${quoted(name)}, which is not a file, folder or link.`);
    }
  }
}

function checkedLength(name: string, end: number): number {
  const length = Buffer.byteLength(name);
  if (length <= NAME_BYTES) return length;
  throw imageRefused(
    `The archive has a name of ${length} bytes before byte ${end}; the limit is ${NAME_BYTES}: ${quoted(name)}.`,
  );
}

/**
 * Reads all of `range`.
 * @throws Error if the file has become shorter
 */
export async function readRange(file: FileHandle, range: TarRange): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(range.size);
  for (let done = 0; done < range.size;) {
    const { bytesRead } = await file.read(buffer, done, range.size - done, range.offset + done);
    if (bytesRead === 0) throw new Error(`The archive ended at byte ${range.offset + done} while it was read`);
    done += bytesRead;
  }
  return buffer;
}

/** Streams `range`. Unlike a read stream of `file`, it leaves `file` open. */
export async function* chunksOf(file: FileHandle, { offset, size }: TarRange): AsyncGenerator<Buffer, void, undefined> {
  for (let done = 0; done < size; done += CHUNK_BYTES) {
    yield await readRange(file, { offset: offset + done, size: Math.min(CHUNK_BYTES, size - done) });
  }
}

function decodeHeader(block: Buffer, position: number): Header {
  if (tarChecksum(block) !== decodeNumber(block.subarray(148, 156))) {
    if (position === 0) {
      throw new Refusal('not_an_image', `The file is not a tar: it starts with ${block.toString('hex', 0, 8)}.`);
    }
    throw new Refusal('archive_truncated', `The archive is damaged: there is no entry at byte ${position}.`);
  }
  const size = decodeNumber(block.subarray(124, 136));
  if (!Number.isSafeInteger(size) || size < 0) {
    throw imageRefused(`The archive has an entry without a valid size at byte ${position}.`);
  }
  const name = decodeText(block.subarray(0, 100));
  const isUstar = block.toString('latin1', 257, 263) === 'ustar\0';
  const prefix = isUstar ? decodeText(block.subarray(345, 500)) : '';
  const type = String.fromCharCode(block[156]!);
  return {
    name: prefix === '' ? name : `${prefix}/${name}`,
    target: decodeText(block.subarray(157, 257)),
    // Go's reader, like POSIX, gives links and folders no content, whatever their size field says
    size: '125'.includes(type) ? 0 : size,
    type,
  };
}

/** The number in a header field, octal or base-256; NaN if it is not a number. */
function decodeNumber(field: Buffer): number {
  if (field[0]! & 0x80) return Number(`0x${field.toString('hex').replace(/^80/, '00')}`);
  const text = decodeText(field).trim();
  return /^[0-7]*$/.test(text) ? Number.parseInt(text || '0', 8) : Number.NaN;
}

function decodeText(field: Buffer): string {
  const end = field.indexOf(0);
  return field.toString('utf8', 0, end === -1 ? field.length : end);
}

/**
 * Reads what a pax header (`x`) or a GNU header (`L`, `K`) says about the next entry. Global
 * headers (`g`) contain nothing that matters here.
 */
function decodeExtension(type: string, content: Buffer): { name?: string; target?: string; size?: number } {
  if (type === 'L') return { name: decodeText(content) };
  if (type === 'K') return { target: decodeText(content) };
  if (type === 'g') return {};

  const extension: { name?: string; target?: string; size?: number } = {};
  for (let offset = 0; offset < content.length;) {
    const space = content.indexOf(' ', offset);
    const length = Number(content.toString('latin1', offset, space));
    const record = content.toString('utf8', space + 1, offset + length - 1);
    const equals = record.indexOf('=');
    if (space === -1 || !Number.isInteger(length) || length < 5 || equals === -1) {
      throw imageRefused('The archive has a malformed pax header.');
    }
    offset += length;

    const value = record.slice(equals + 1);
    const key = record.slice(0, equals);
    if (key === 'path') extension.name = value;
    if (key === 'linkpath') extension.target = value;
    if (key === 'size') {
      if (!/^\d{1,15}$/.test(value)) throw imageRefused('The archive has a pax header without a valid size.');
      extension.size = Number(value);
    }
  }
  return extension;
}

/**
 * Normalises a name: `./a/../b` → `b`. A name above the archive's root keeps its `..` and so
 * matches nothing.
 */
export function archiveName(name: string): string {
  const parts: string[] = [];
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.join('/');
}

/**
 * Resolves links to the files they name. Older versions of `docker save` store a layer that several
 * images share once, and link to it.
 */
function resolved(files: Map<string, TarRange>, links: ReadonlyMap<string, string>): Map<string, TarRange> {
  for (const name of links.keys()) {
    let target: string | undefined = name;
    for (let hops = 0; hops < LINK_HOPS && target !== undefined && links.has(target); hops++)
      target = links.get(target);
    const range = target === undefined || links.has(target) ? undefined : files.get(target);
    if (range === undefined) files.delete(name);
    else files.set(name, range);
  }
  return files;
}
