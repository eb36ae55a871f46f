/**
 * A part of a protobuf message: field number and value. Bytes, strings and messages are
 * length-delimited; numbers are varints.
 */
export type Part = readonly [field: number, value: number | string | Uint8Array | readonly Part[]];

/** Encodes a protobuf message, for tests that need what no exporter writes. */
export function encode(parts: readonly Part[]): Buffer {
  return Buffer.concat(parts.flatMap(([field, value]) => encodeField(field, value)));
}

function encodeField(field: number, value: Part[1]): Buffer[] {
  if (typeof value === 'number') return [varint(field * 8), varint(value)];
  const content =
    typeof value === 'string' ? Buffer.from(value) : value instanceof Uint8Array ? Buffer.from(value) : encode(value);
  return [varint(field * 8 + 2), varint(content.length), content];
}

function varint(value: number): Buffer {
  // as a 64-bit two's complement
  if (value < 0) return Buffer.from([...Array<number>(9).fill(0xff), 1]);
  const bytes: number[] = [];
  let rest = value;
  while (rest >= 0x80) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  return Buffer.from([...bytes, rest]);
}

export const FLOAT = 1;
export const INT64 = 7;

/** Returns a TensorProto of 2 × 3 floats, unless `parts`, `dims` or `type` say otherwise. */
export function tensor(parts: readonly Part[] = [[9, Buffer.alloc(24)]], dims = [2, 3], type = FLOAT): Part[] {
  return [...dims.map((size): Part => [1, size]), [2, type], [8, 'weight'], ...parts];
}

/** Returns the entries of TensorProto.external_data, which locate external data. */
export function external(entries: Readonly<Record<string, string>>): Part[] {
  const pairs = Object.entries(entries).map(([key, value]): Part => [
    13,
    [
      [1, key],
      [2, value],
    ],
  ]);
  return [...pairs, [14, 1]];
}

export interface GraphFixture {
  readonly inputs?: readonly string[];
  readonly outputs?: readonly string[];
  readonly initializers?: readonly (readonly Part[])[];
  /** AttributeProtos of the graph's only node. */
  readonly attributes?: readonly (readonly Part[])[];
  readonly domain?: string;
  /** Additional fields of the ModelProto. */
  readonly more?: readonly Part[];
}

/** Returns a ModelProto with one node. A runtime might not load it. */
export function model({
  inputs = ['input_ids', 'attention_mask'],
  outputs = ['logits'],
  initializers = [tensor()],
  attributes = [],
  domain = '',
  more = [],
}: GraphFixture = {}): Buffer {
  const node: Part[] = [
    [1, 'input_ids'],
    [2, 'logits'],
    [4, 'Identity'],
    ...attributes.map((attribute): Part => [5, attribute]),
    [7, domain],
  ];
  const graph: Part[] = [
    [1, node],
    [2, 'graph'],
    ...initializers.map((initializer): Part => [5, initializer]),
    ...inputs.map((name): Part => [11, [[1, name]]]),
    ...outputs.map((name): Part => [12, [[1, name]]]),
  ];
  return encode([
    [1, 8],
    [7, graph],
    [
      8,
      [
        [1, ''],
        [2, 17],
      ],
    ],
    ...more,
  ]);
}
