export const TAR_BLOCK = 512;

export type TarEntryType = 'file' | 'link' | 'symlink' | 'directory';

export interface TarEntry {
  readonly name: string;
  readonly type: TarEntryType;
  /** Bytes of content; 0 except for files. */
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Seconds since 1970. */
  readonly modified: number;
  /** The target of a link or symlink. */
  readonly target: string;
}

const TYPE_FLAGS = { file: '0', link: '1', symlink: '2', directory: '5' } as const satisfies Record<
  TarEntryType,
  string
>;

/** The number of zero bytes after `size` bytes of content. */
export function tarPadding(size: number): number {
  return (TAR_BLOCK - (size % TAR_BLOCK)) % TAR_BLOCK;
}

/**
 * Encodes the blocks before an entry's content: a ustar header, preceded by a pax header if a name
 * does not fit (POSIX.1-2017 pax).
 */
export function encodeTarHeader(entry: TarEntry): Buffer {
  const records = [
    fits(entry.name) ? '' : paxRecord('path', entry.name),
    fits(entry.target) ? '' : paxRecord('linkpath', entry.target),
  ].join('');
  const header = headerBlock(entry, TYPE_FLAGS[entry.type]);
  if (records === '') return header;

  const content = Buffer.from(records);
  const plain = { name: 'pax', type: 'file', mode: 0o644, uid: 0, gid: 0, modified: 0, target: '' } as const;
  const padding = Buffer.alloc(tarPadding(content.length));
  return Buffer.concat([headerBlock({ ...plain, size: content.length }, 'x'), content, padding, header]);
}

function headerBlock(entry: TarEntry, typeFlag: string): Buffer {
  const block = Buffer.alloc(TAR_BLOCK);
  block.write(entry.name, 0, 100, 'latin1');
  writeNumber(block, entry.mode, 100, 8);
  writeNumber(block, entry.uid, 108, 8);
  writeNumber(block, entry.gid, 116, 8);
  writeNumber(block, entry.size, 124, 12);
  writeNumber(block, entry.modified, 136, 12);
  block.write(typeFlag, 156, 'latin1');
  block.write(entry.target, 157, 100, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  block.write(tarChecksum(block).toString(8).padStart(6, '0') + '\0 ', 148, 'latin1');
  return block;
}

/** The sum of a header's bytes, with the checksum field counted as spaces. */
export function tarChecksum(block: Uint8Array): number {
  let sum = 8 * 0x20;
  for (let index = 0; index < TAR_BLOCK; index++) if (index < 148 || index >= 156) sum += block[index]!;
  return sum;
}

/**
 * Writes octal if the value fits, otherwise GNU base-256, which Go, GNU tar and BSD tar read as
 * well.
 */
function writeNumber(block: Buffer, value: number, offset: number, length: number): void {
  const octal = value.toString(8).padStart(length - 1, '0');
  if (octal.length < length) {
    block.write(octal, offset, 'latin1');
    return;
  }
  block.write(value.toString(16).padStart(2 * length, '0'), offset, 'hex');
  block[offset]! |= 0x80;
}

function paxRecord(key: string, value: string): string {
  const tail = ` ${key}=${value}\n`;
  const bytes = Buffer.byteLength(tail);
  // the length includes its own digits
  let total = bytes + String(bytes).length;
  if (bytes + String(total).length !== total) total = bytes + String(total).length;
  return `${total}${tail}`;
}

function fits(name: string): boolean {
  return name.length <= 100 && /^[\x20-\x7e]*$/.test(name);
}
