import { createHash, type Hash } from 'node:crypto';
import { closeSync, openSync, readSync } from 'node:fs';
import { DATA_TYPES, STORAGE_FIELDS, STRING_DATA } from './onnx-tensor.js';
import { LENGTH_DELIMITED, type ProtobufFile } from './protobuf-file.js';

/** The paths of the other files of a bundle, by name. */
export type TensorFiles = ReadonlyMap<string, string>;

const WINDOW = 256 * 1024;
/** The most bytes of a name. A longer one would have to be cut, so that two could become one. */
const MAX_TEXT = 4096;

/** A model without digest, because its digest would take too much memory. */
export class DigestTooLarge extends Error {}

/**
 * Reads the TensorProto in a span of a model that `readOnnxModel` accepts. Returns its name, and the SHA-256
 * of its type, shape and elements. Elements count as the bytes of raw data, wherever and however they are
 * stored.
 * @throws the errors of the file system
 */
export function tensorDigest(
  file: ProtobufFile,
  { start, end }: { readonly start: number; readonly end: number },
  files: TensorFiles,
): { readonly name: string; readonly digest: string } {
  const elements = createHash('sha256');
  const dims: bigint[] = [];
  const external = new Map<string, string>();
  let name = '';
  let type = 0;
  // the type may come after the elements, and their width depends on it
  const integers: number[] = [];
  file.position = start;
  while (file.position < end) {
    const { field, wireType } = file.tag();
    const at = file.position;
    if (field === 1) dims.push(...varints(file, wireType));
    else if (field === 2) type = file.int32();
    else if (field === 8) name = textOf(file);
    else if (field === 9) hashPieces(file, elements, file.end(end));
    else if (field === 13) {
      const [key, value] = entryOf(file, file.end(end));
      external.set(key, value);
    } else if (field === STRING_DATA) addText(file, elements, file.end(end));
    else if (STORAGE_FIELDS[field]?.bytes === null) {
      integers.push(at, wireType);
      file.skip(wireType, end);
    } else if (STORAGE_FIELDS[field]) {
      hashPieces(file, elements, wireType === LENGTH_DELIMITED ? file.end(end) : at + STORAGE_FIELDS[field].bytes);
    } else file.skip(wireType, end);
  }
  const { bits, values } = DATA_TYPES[type]!;
  for (let index = 0; index < integers.length; index += 2) {
    file.position = integers[index]!;
    addIntegers(file, integers[index + 1]!, elements, Math.ceil(bits / 8 / values));
  }
  file.position = end;
  if (external.size > 0)
    addExternal(elements, external, files, Number(dims.reduce((all, size) => all * size, 1n)) * bits);
  const digest = createHash('sha256').update(
    JSON.stringify(['tensor', type, dims.map(String), elements.digest('hex')]),
  );
  return { name, digest: digest.digest('hex') };
}

function* varints(file: ProtobufFile, wireType: number): Generator<bigint> {
  if (wireType !== LENGTH_DELIMITED) {
    yield file.varint();
    return;
  }
  for (const end = file.end(file.size); file.position < end;) yield file.varint();
}

/** Adds integers as little-endian numbers of `width` bytes, the form of raw data. */
function addIntegers(file: ProtobufFile, wireType: number, elements: Hash, width: number): void {
  const block = Buffer.alloc(WINDOW);
  const number = Buffer.alloc(8);
  let filled = 0;
  for (const value of varints(file, wireType)) {
    number.writeBigUInt64LE(value);
    filled += number.copy(block, filled, 0, width);
    if (filled + 8 > WINDOW) {
      elements.update(block.subarray(0, filled));
      filled = 0;
    }
  }
  elements.update(block.subarray(0, filled));
}

function hashPieces(file: ProtobufFile, elements: Hash, end: number): void {
  for (const piece of file.pieces(end)) elements.update(piece);
}

/** Adds a text after its length, so that `ab`, `c` and `a`, `bc` differ. */
function addText(file: ProtobufFile, elements: Hash, end: number): void {
  elements.update(`${end - file.position}:`);
  hashPieces(file, elements, end);
}

/** Reads a text. Different bytes give different texts. */
export function textOf(file: ProtobufFile): string {
  const end = file.end(file.size);
  if (end - file.position > MAX_TEXT) throw new DigestTooLarge();
  let text = '';
  for (const piece of file.pieces(end)) text += piece.toString('latin1');
  return text;
}

/** Reads a StringStringEntryProto. */
function entryOf(file: ProtobufFile, end: number): readonly [key: string, value: string] {
  let [key, value] = ['', ''];
  while (file.position < end) {
    const { field, wireType } = file.tag();
    if (field === 1) key = textOf(file);
    else if (field === 2) value = textOf(file);
    else file.skip(wireType, end);
  }
  return [key, value];
}

function addExternal(elements: Hash, external: ReadonlyMap<string, string>, files: TensorFiles, bits: number): void {
  const descriptor = openSync(files.get(external.get('location')!)!, 'r');
  try {
    const block = Buffer.alloc(WINDOW);
    let at = Number(external.get('offset') ?? 0);
    for (let left = Math.ceil(bits / 8); left > 0;) {
      const read = readSync(descriptor, block, 0, Math.min(WINDOW, left), at);
      if (read === 0) throw new Error('a file of external data ends before its tensor');
      elements.update(block.subarray(0, read));
      at += read;
      left -= read;
    }
  } finally {
    closeSync(descriptor);
  }
}
