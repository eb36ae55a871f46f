import { bundleRefused, quoted, Refusal } from '../refusal.js';
import { LENGTH_DELIMITED, MalformedProtobuf, VARINT, type ProtobufFile } from './protobuf-file.js';

/** The sizes of the other files of the bundle, in bytes, by name. */
export type FileSizes = ReadonlyMap<string, number>;

type Storage = 'float' | 'int32' | 'int64' | 'double' | 'uint64' | 'string';

interface DataType {
  readonly name: string;
  /** Bits of an element in raw and external data; 0 if the type has no such form. */
  readonly bits: number;
  readonly storage: Storage;
  /** Values of `storage` per element. */
  readonly values: number;
}

function dataType(name: string, bits: number, storage: Storage, values = 1): DataType {
  return { name, bits, storage, values };
}

/** TensorProto.DataType of onnx.proto, indexed by its numbers. */
export const DATA_TYPES: readonly (DataType | undefined)[] = [
  undefined,
  dataType('FLOAT', 32, 'float'),
  dataType('UINT8', 8, 'int32'),
  dataType('INT8', 8, 'int32'),
  dataType('UINT16', 16, 'int32'),
  dataType('INT16', 16, 'int32'),
  dataType('INT32', 32, 'int32'),
  dataType('INT64', 64, 'int64'),
  dataType('STRING', 0, 'string'),
  dataType('BOOL', 8, 'int32'),
  dataType('FLOAT16', 16, 'int32'),
  dataType('DOUBLE', 64, 'double'),
  dataType('UINT32', 32, 'uint64'),
  dataType('UINT64', 64, 'uint64'),
  dataType('COMPLEX64', 64, 'float', 2),
  dataType('COMPLEX128', 128, 'double', 2),
  dataType('BFLOAT16', 16, 'int32'),
  dataType('FLOAT8E4M3FN', 8, 'int32'),
  dataType('FLOAT8E4M3FNUZ', 8, 'int32'),
  dataType('FLOAT8E5M2', 8, 'int32'),
  dataType('FLOAT8E5M2FNUZ', 8, 'int32'),
  dataType('UINT4', 4, 'int32', 0.5),
  dataType('INT4', 4, 'int32', 0.5),
  dataType('FLOAT4E2M1', 4, 'int32', 0.5),
  dataType('FLOAT8E8M0', 8, 'int32'),
  dataType('UINT2', 2, 'int32', 0.25),
  dataType('INT2', 2, 'int32', 0.25),
];

/**
 * The fields of TensorProto that contain the elements one by one. `bytes` is the size of each; null
 * for varints.
 */
export const STORAGE_FIELDS: Readonly<Record<number, { readonly storage: Storage; readonly bytes: number | null }>> = {
  4: { storage: 'float', bytes: 4 },
  5: { storage: 'int32', bytes: null },
  7: { storage: 'int64', bytes: null },
  10: { storage: 'double', bytes: 8 },
  11: { storage: 'uint64', bytes: null },
};
export const STRING_DATA = 6;
const EXTERNAL = 1;
const EXTERNAL_KEYS: readonly string[] = ['location', 'offset', 'length', 'checksum'];
const MAX_RANK = 64;
const MAX_TEXT = 4096;

interface Tensor {
  name: string;
  readonly dims: number[];
  type: number | null;
  rawBytes: number | null;
  location: number | null;
  readonly external: Map<string, string>;
  readonly stored: Map<Storage, number>;
}

/** Counts a field; called before each one. Throws if there are too many. */
export type FieldCounter = () => void;

/**
 * A tensor that was checked: its name, and the file that contains its data if the model does not.
 */
export interface CheckedTensor {
  readonly name: string;
  readonly externalFile: string | null;
}

/**
 * Reads the TensorProto up to `end`. Checks that it has exactly the bytes that its shape and type
 * require, in itself or in a plain file of the bundle. Skips the elements.
 * @throws Refusal if the tensor is not acceptable
 * @throws MalformedProtobuf if the bytes are not a valid message
 */
export function readTensor(file: ProtobufFile, end: number, sizes: FileSizes, count: FieldCounter): CheckedTensor {
  const tensor = tensorFields(file, end, count);
  return { name: tensor.name, externalFile: checkTensor(tensor, sizes) };
}

function checkTensor(tensor: Tensor, sizes: FileSizes): string | null {
  const type = tensor.type === null ? undefined : DATA_TYPES[tensor.type];
  if (type === undefined) throw refused(tensor, `has the unknown data type ${String(tensor.type)}`);
  const elements = elementsOf(tensor.dims);
  if (elements === null) throw refused(tensor, 'has too many elements to count');
  if (tensor.location === EXTERNAL) return checkExternal(tensor, type, elements, sizes);
  if (tensor.location !== null && tensor.location !== 0) {
    throw refused(tensor, `has the unknown data_location ${tensor.location}`);
  }
  if (tensor.external.size > 0) throw refused(tensor, 'has external_data, but its data_location is not EXTERNAL');
  checkStored(tensor, type, elements);
  return null;
}

function tensorFields(file: ProtobufFile, end: number, count: FieldCounter): Tensor {
  const tensor: Tensor = {
    name: '',
    dims: [],
    type: null,
    rawBytes: null,
    location: null,
    external: new Map(),
    stored: new Map(),
  };
  while (file.position < end) {
    count();
    const { field, wireType } = file.tag();
    readField(tensor, file, field, wireType, end, count);
  }
  if (file.position !== end) throw new MalformedProtobuf('a tensor ends within a field', file.position);
  return tensor;
}

function readField(
  tensor: Tensor,
  file: ProtobufFile,
  field: number,
  wireType: number,
  end: number,
  count: FieldCounter,
): void {
  if (field === 1) readSizes(file, wireType, end, tensor.dims, (what) => refused(tensor, what));
  else if (field === 2) tensor.type = once(tensor, tensor.type, 'data_type', expect(VARINT, wireType, file).int32());
  else if (field === 3) throw refused(tensor, 'is a tensor segment, which is not supported');
  else if (field === 8) tensor.name = expect(LENGTH_DELIMITED, wireType, file).text(end, MAX_TEXT);
  else if (field === 9) {
    const last = expect(LENGTH_DELIMITED, wireType, file).end(end);
    tensor.rawBytes = once(tensor, tensor.rawBytes, 'raw_data', last - file.position);
    file.position = last;
  } else if (field === 13) {
    readExternal(tensor, file, expect(LENGTH_DELIMITED, wireType, file).end(end), count);
  } else if (field === 14) {
    tensor.location = once(tensor, tensor.location, 'data_location', expect(VARINT, wireType, file).int32());
  } else if (field === STRING_DATA) {
    expect(LENGTH_DELIMITED, wireType, file).skip(wireType, end);
    add(tensor, 'string', 1);
  } else if (STORAGE_FIELDS[field] !== undefined) readStored(tensor, file, STORAGE_FIELDS[field], wireType, end);
  else file.skip(wireType, end);
}

/**
 * Returns the number of elements, or null if the product of the axes that are not 0 is not a safe
 * integer. An axis of size 0 does not excuse the others, because runtimes multiply from either end.
 */
export function elementsOf(dims: readonly number[]): number | null {
  const others = dims.filter((size) => size !== 0).reduce((product, size) => product * size, 1);
  if (!Number.isSafeInteger(others)) return null;
  return dims.includes(0) ? 0 : others;
}

/**
 * Adds the axis sizes in a field, one or several, to `dims`.
 * @param fault makes the refusal from a description of what is wrong
 */
export function readSizes(
  file: ProtobufFile,
  wireType: number,
  end: number,
  dims: number[],
  fault: (what: string) => Refusal,
): void {
  const last = wireType === LENGTH_DELIMITED ? file.end(end) : null;
  do {
    if (last !== null && file.position >= last) break;
    if (last === null) expect(VARINT, wireType, file);
    const size = file.int64();
    if (size < 0) throw fault('has a negative size');
    dims.push(size);
    if (dims.length > MAX_RANK) throw fault(`has more than ${MAX_RANK} axes`);
  } while (last !== null);
  if (last !== null && file.position !== last) throw new MalformedProtobuf('a shape ends within a size', file.position);
}

function readStored(
  tensor: Tensor,
  file: ProtobufFile,
  { storage, bytes }: { readonly storage: Storage; readonly bytes: number | null },
  wireType: number,
  end: number,
): void {
  if (wireType !== LENGTH_DELIMITED) {
    file.skip(wireType, end);
    add(tensor, storage, 1);
    return;
  }
  const last = file.end(end);
  const length = last - file.position;
  if (bytes !== null && length % bytes !== 0) {
    throw new MalformedProtobuf('a list of numbers ends within a number', file.position);
  }
  add(tensor, storage, bytes === null ? file.countVarints(last) : length / bytes);
  file.position = last;
}

/** Reads a StringStringEntryProto. */
function readExternal(tensor: Tensor, file: ProtobufFile, end: number, count: FieldCounter): void {
  let key: string | null = null;
  let value: string | null = null;
  while (file.position < end) {
    count();
    const { field, wireType } = file.tag();
    if (field === 1) key = once(tensor, key, 'key', expect(LENGTH_DELIMITED, wireType, file).text(end, MAX_TEXT));
    else if (field === 2)
      value = once(tensor, value, 'value', expect(LENGTH_DELIMITED, wireType, file).text(end, MAX_TEXT));
    else file.skip(wireType, end);
  }
  if (!EXTERNAL_KEYS.includes(key ?? '')) throw refused(tensor, `has the unknown external_data ${quoted(key ?? '')}`);
  if (tensor.external.has(key ?? '')) throw refused(tensor, `has two values of external_data ${quoted(key ?? '')}`);
  tensor.external.set(key ?? '', value ?? '');
}

function checkExternal(tensor: Tensor, type: DataType, elements: number, sizes: FileSizes): string {
  if (tensor.rawBytes !== null || tensor.stored.size > 0) throw refused(tensor, 'has both internal and external data');
  if (type.bits === 0) throw refused(tensor, `is of type ${type.name} and cannot be external`);

  const location = tensor.external.get('location') ?? '';
  if (!/^[\w.-]{1,200}$/.test(location) || location === '.' || location === '..') {
    throw refused(tensor, `is stored in ${quoted(location)}, which is not a plain file name`);
  }
  const size = sizes.get(location);
  if (size === undefined)
    throw new Refusal(
      'bundle_incomplete',
      `The bundle has no ${quoted(location)}, in which ${described(tensor)} is stored.`,
    );

  const bytes = bytesOf(type, elements);
  const offset = externalNumber(tensor, 'offset') ?? 0;
  const length = externalNumber(tensor, 'length') ?? bytes;
  if (length !== bytes)
    throw refused(tensor, `has ${length} bytes of external data; its shape and type require ${bytes}`);
  if (offset + length > size) {
    throw refused(tensor, `reaches to byte ${offset + length} of ${quoted(location)}, which has ${size} bytes`);
  }
  return location;
}

function externalNumber(tensor: Tensor, key: string): number | null {
  const text = tensor.external.get(key);
  if (text === undefined) return null;
  if (!/^\d{1,15}$/.test(text)) throw refused(tensor, `has the invalid external ${key} ${quoted(text)}`);
  return Number(text);
}

function checkStored(tensor: Tensor, type: DataType, elements: number): void {
  const stored = [...tensor.stored.values()].reduce((sum, count) => sum + count, 0);
  if (tensor.rawBytes !== null) {
    if (type.bits === 0 || stored > 0) throw refused(tensor, 'has raw data that its type or other data does not allow');
    const bytes = bytesOf(type, elements);
    if (tensor.rawBytes === bytes) return;
    throw refused(tensor, `has ${tensor.rawBytes} bytes; its shape and type require ${bytes}`);
  }
  const wanted = Math.ceil(elements * type.values);
  const found = tensor.stored.get(type.storage) ?? 0;
  if (found !== wanted || stored !== found) {
    throw refused(tensor, `has ${stored} values; its shape and type require ${wanted}`);
  }
}

function bytesOf(type: DataType, elements: number): number {
  return Math.ceil((elements * type.bits) / 8);
}

function add(tensor: Tensor, storage: Storage, count: number): void {
  tensor.stored.set(storage, (tensor.stored.get(storage) ?? 0) + count);
}

/**
 * Refuses a second value of a field. Parsers keep the last one, and the value that was checked must
 * be the one that is used.
 */
function once<T>(tensor: Tensor, before: T | null, field: string, value: T): T {
  if (before !== null) throw refused(tensor, `has two values of ${field}`);
  return value;
}

/**
 * Refuses a known field with another wire type. Parsers treat it as an unknown field; no exporter
 * writes one.
 */
function expect(wanted: number, wireType: number, file: ProtobufFile): ProtobufFile {
  if (wanted !== wireType) {
    throw new MalformedProtobuf(`a field has the unexpected wire type ${wireType}`, file.position);
  }
  return file;
}

function described(tensor: Tensor): string {
  return tensor.name === '' ? 'a tensor' : `the tensor ${quoted(tensor.name)}`;
}

function refused(tensor: Tensor, what: string): Refusal {
  return bundleRefused(`In model.onnx, ${described(tensor)} ${what}.`);
}
