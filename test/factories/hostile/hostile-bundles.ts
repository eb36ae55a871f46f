import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createGzip, deflateRawSync, gzipSync } from 'node:zlib';
import type { FailureCode } from '@assay/contracts/models';
import { encodeTarHeader } from '../../../libs/sandbox/src/image-archive/tar-header.js';
import { encode, external, model, tensor, type Part } from '../models/onnx-model-parts.js';
import { globalHeader } from './hostile-images.js';
import { tarOf, type Entry } from '../models/submitted-images.js';

export interface HostileBundle {
  readonly what: string;
  readonly code: FailureCode;
  /** The expected failure message. */
  readonly sentence: RegExp;
  readonly archive: () => Promise<Buffer> | Buffer;
}

type Files = Readonly<Record<string, string | Buffer>>;

const MEBIBYTE = 1 << 20;
/** The message for a name that an image layer would treat as a whiteout. */
const WHITEOUT = /begins with "\.wh\.".*Rename it/;
const OUTSIDE = tensor(external({ location: '../../etc/passwd' }));

/** The files of a bundle that passes admission. No runtime could load its model. */
export function bundleFiles(more: Files = {}): Files {
  return {
    'model.onnx': model(),
    'tokenizer.json': '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}, "unk_token": "[UNK]"}}',
    'tokenizer_config.json': '{"model_max_length": 128}',
    'config.json': '{"id2label": {"0": "even", "1": "odd"}}',
    ...more,
  };
}

/**
 * Bundles that a platform must reject.
 * @param bombBytes The minimum unpacked size of each bomb.
 */
export const hostileBundles = (bombBytes: number): readonly HostileBundle[] => [
  ofModel(
    'external data by `..`',
    { initializers: [OUTSIDE] },
    /"\.\.\/\.\.\/etc\/passwd", which is not a plain file name/,
  ),
  ofModel(
    'external data at an absolute path',
    { initializers: [tensor(external({ location: '/etc/passwd' }))] },
    /not a plain file/,
  ),
  ofLink('external data through a symlink', 'symlink', '/etc/passwd', /"weights" is a symlink, not a file/),
  ofLink('external data through a hard link', 'link', '/etc/passwd', /"weights" is a link, not a file/),
  ofModel(
    'a sparse tensor with data elsewhere',
    {
      more: [
        sparse([
          [1, tensor()],
          [2, OUTSIDE],
          [3, 2],
        ]),
      ],
    },
    /not a plain file/,
  ),
  ofModel(
    'a sparse tensor of overflowing shape',
    {
      more: [
        sparse([
          [1, tensor()],
          [2, tensor()],
          [3, 2 ** 40],
          [3, 2 ** 40],
        ]),
      ],
    },
    /sparse tensor has too many elements/,
  ),
  ofModel(
    'a sparse tensor of negative shape',
    {
      more: [
        sparse([
          [1, tensor()],
          [2, tensor()],
          [3, -1],
        ]),
      ],
    },
    /sparse tensor has a negative size/,
  ),
  ofModel(
    'too few bytes',
    { initializers: [tensor([[9, Buffer.alloc(20)]])] },
    /"weight" has 20 bytes; its shape and type require 24/,
  ),
  ofModel('a shape beyond 2^63', { initializers: [tensor([], [2 ** 33, 2 ** 33])] }, /too many elements to count/),
  ofModel(
    'a shape beyond 2^63 that a 0 hides',
    { initializers: [tensor([], [2 ** 40, 2 ** 40, 0])] },
    /too many elements to count/,
  ),
  ofModel(
    'a negative shape',
    {
      initializers: [
        [
          [1, -1],
          [2, 1],
          [8, 'weight'],
        ],
      ],
    },
    /has a negative size/,
  ),
  ofModel(
    'a negative offset',
    { initializers: [tensor(external({ location: 'config.json', offset: '-24' }))] },
    /invalid external offset "-24"/,
  ),
  ofModel('operators of an unknown domain', { domain: 'evil.ops' }, /the domain "evil\.ops"/),
  ofModel(
    'operators of a version that no runtime has',
    {
      more: [
        [
          8,
          [
            [1, 'ai.onnx.ml'],
            [2, 999],
          ],
        ],
      ],
    },
    /version 999 of the operator set ai\.onnx\.ml/,
  ),
  ofModel(
    'ONNX operators of a version that no runtime has',
    {
      more: [
        [
          8,
          [
            [1, ''],
            [2, 999],
          ],
        ],
      ],
    },
    /version 999 of the operator set ai\.onnx/,
  ),
  ofModel(
    'functions that call each other',
    { more: [calling('f', 'g'), calling('g', 'f')] },
    /a function that calls itself/,
  ),
  ofModel('a function that calls itself', { more: [calling('f', 'f')] }, /a function that calls itself/),
  ofModel('nested Ifs beyond all depth', { attributes: [nestedIfs(25)] }, /nested too deeply: the limit is 64/),
  ofModel('names that would fill the memory', { initializers: manyNames() }, /names in model\.onnx have more than/),
  ofModel('endless entries of external data', { initializers: [manyKeys()] }, /unknown external_data "k0"/),
  ...['.wh.', '.wh..', '.wh...', '.wh.weights', '.wh.config.json', '.wh..wh..opq'].map(ofWhiteout),
  ofFiles('a file in a folder that is a whiteout', { 'onnx/.wh.old/notes': 'x' }, WHITEOUT),
  ofZip('a whiteout in a zip', [{ name: '.wh.config.json', content: 'x' }], WHITEOUT),
  ofFiles('a shared object', { 'libops.so.1': 'x' }, /"libops\.so\.1" is a shared object/),
  ofFiles(
    'machine code',
    { 'weights.bin': Buffer.from('\x7fELF\x02\x01\x01', 'latin1') },
    /"weights\.bin" is machine code/,
  ),
  ofFiles(
    '10 MB of brackets for a tokenizer',
    { 'tokenizer.json': Buffer.alloc(10 * MEBIBYTE, '[') },
    /tokenizer\.json is not valid JSON: it is nested too deeply at byte 101/,
  ),
  ofFiles(
    'brackets for a configuration',
    { 'config.json': `{"id2label": ${'['.repeat(200)}` },
    /config\.json is not valid JSON: it is nested too deeply/,
  ),
  ofTar('a name by `..` in a tar', [{ name: '../../evil' }], /"\.\.\/\.\.\/evil" would leave/),
  ofTar('an absolute name', [{ name: '/etc/evil' }], /"\/etc\/evil" would leave/),
  ofTar('a device', [{ name: 'zero', type: 'character-device' }], /"zero" is a character-device/),
  ofTar('a FIFO', [{ name: 'pipe', type: 'fifo' }], /"pipe" is a fifo/),
  ofTar('two entries of one name', [{ name: './Config.json' }], /two entries/),
  ofTar('a header of 70 KB', [{ name: 'x', pax: { comment: 'x'.repeat(70_000) } }], /extended header of 700\d\d bytes/),
  {
    what: 'nothing but folders',
    code: 'bundle_refused',
    sentence: /more than 10000 entries/,
    archive: async () =>
      gzipSync(await tarOf(Array.from({ length: 10_001 }, (_, n): Entry => ({ name: `${n}/`, type: 'directory' })))),
  },
  {
    what: 'a global header that would count for every entry',
    code: 'bundle_refused',
    sentence: /extended header of \d+ bytes/,
    archive: () => gzipSync(globalHeader('5 a=\n'.repeat(400_000), 2000)),
  },
  {
    what: 'a gzip bomb',
    code: 'unpacked_too_large',
    sentence: /unpacks to \d+ bytes or more/,
    archive: () => gzipBomb(bombBytes),
  },
  ofZip('zip slip', [{ name: '../../evil', content: 'x' }], /"\.\.\/\.\.\/evil"|invalid relative path/),
  ofZip('a backslash in a zip', [{ name: '..\\..\\evil', content: 'x' }], /evil/),
  ofZip('an encrypted entry', [{ name: 'secret', content: 'x', flags: 1 }], /"secret" is encrypted/),
  ofZip(
    'a symlink in a zip',
    [{ name: 'weights', content: '/etc/passwd', mode: 0o120777 }],
    /"weights" is a symbolic link/,
  ),
  ofZip('another compression', [{ name: 'x', content: 'x', method: 14 }], /"x" has the compression method 14/),
  ofZip(
    'entries that share their bytes',
    [
      { name: 'a', content: 'x'.repeat(100), method: 0 },
      { name: 'b', content: 'x'.repeat(100), method: 0, at: 'before' },
    ],
    /The entries "[ab]" and "[ab]" of the zip overlap/,
  ),
  { what: 'a bomb of quoted overlaps', code: 'bundle_refused', sentence: /of the zip overlap/, archive: quotedOverlap },
  {
    what: 'a zip bomb that says what it is',
    code: 'unpacked_too_large',
    sentence: /unpacks to \d+ bytes or more/,
    archive: () => zipOf([{ name: 'zeros', content: Buffer.alloc(bombBytes), method: 8 }]),
  },
  {
    what: 'a zip bomb that says it is small',
    code: 'archive_truncated',
    sentence: /damaged or truncated at "zeros"/,
    archive: () =>
      zipOf([...entriesOf(bundleFiles()), { name: 'zeros', content: Buffer.alloc(4 * MEBIBYTE), method: 8, size: 10 }]),
  },
  {
    what: 'half a zip',
    code: 'archive_truncated',
    sentence: /./,
    archive: () => zipOf(entriesOf(bundleFiles())).subarray(0, 500),
  },
  ofZip(
    'a directory of names without end',
    Array.from({ length: 200 }, (_, n) => ({ name: `f${n}`, content: '', extra: Buffer.alloc(65_000) })),
    /directory has more than 1048576 bytes/,
  ),
];

/** A function of the model that calls another one. */
const calling = (name: string, called: string): Part => [
  25,
  [
    [1, name],
    [
      7,
      [
        [4, called],
        [7, 'com.microsoft'],
      ],
    ],
    [10, 'com.microsoft'],
  ],
];

/**
 * Returns a 2 KB model that takes the runner long to load in its sandbox: each of its functions
 * calls the previous one twice.
 */
export function slowModel(depth: number): Buffer {
  const domain = 'com.microsoft';
  const functionOf = (level: number): Part[] => {
    const call = (from: string, to: string): Part => [
      7,
      node(level === 0 ? 'Neg' : `f${level - 1}`, from, to, level > 0),
    ];
    return [[1, `f${level}`], [4, 'x'], [5, 'y'], call('x', 'm'), call('m', 'y'), ...operators(9), [10, domain]];
  };
  const node = (operator: string, from: string, to: string, isOurs: boolean): Part[] => [
    [1, from],
    [2, to],
    [4, operator],
    ...(isOurs ? [[7, domain] as const] : []),
  ];
  const operators = (field: number): Part[] => [
    [
      field,
      [
        [1, ''],
        [2, 17],
      ],
    ],
    [
      field,
      [
        [1, domain],
        [2, 1],
      ],
    ],
  ];
  const value = (name: string, type: number): Part[] => [
    [1, name],
    [
      2,
      [
        [
          1,
          [
            [1, type],
            [
              2,
              [
                [1, [[2, 'rows']]],
                [1, [[1, 2]]],
              ],
            ],
          ],
        ],
      ],
    ],
  ];
  const toFloat: Part = [
    5,
    [
      [1, 'to'],
      [3, 1],
      [20, 2],
    ],
  ];
  const graph: Part[] = [
    [1, [...node('Cast', 'input_ids', 'f', false), toFloat]],
    [1, node(`f${depth}`, 'f', 'logits', true)],
    [2, 'graph'],
    [11, value('input_ids', 7)],
    [11, value('attention_mask', 7)],
    [12, value('logits', 1)],
  ];
  const functions = Array.from({ length: depth + 1 }, (_, level): Part => [25, functionOf(level)]);
  return encode([[1, 8], [7, graph], ...operators(8), ...functions]);
}

/** Returns a tar of the files. */
export function bundleOf(files: Files): Promise<Buffer> {
  return tarOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}

function ofFiles(what: string, more: Files, sentence: RegExp): HostileBundle {
  return { what, code: 'bundle_refused', sentence, archive: async () => gzipSync(await bundleOf(bundleFiles(more))) };
}

function ofModel(what: string, parts: Parameters<typeof model>[0], sentence: RegExp): HostileBundle {
  return {
    ...ofFiles(what, {}, sentence),
    archive: () => bundleOf(bundleFiles({ 'model.onnx': model(parts) })).then((tar) => gzipSync(tar)),
  };
}

/** A model whose external data would become a whiteout in the image layer made from its bundle. */
function ofWhiteout(name: string): HostileBundle {
  const outside = model({ initializers: [tensor(external({ location: name }))] });
  const more = { 'model.onnx': outside, [name]: Buffer.alloc(24) };
  return ofFiles(`external data in ${name}`, more, WHITEOUT);
}

function ofTar(what: string, entries: readonly Entry[], sentence: RegExp): HostileBundle {
  const files = Object.entries(bundleFiles()).map(([name, content]) => ({ name, content }));
  return { what, code: 'bundle_refused', sentence, archive: () => tarOf([...files, ...entries]) };
}

function ofLink(what: string, type: 'link' | 'symlink', linkname: string, sentence: RegExp): HostileBundle {
  const outside = model({ initializers: [tensor(external({ location: 'weights' }))] });
  const files = Object.entries(bundleFiles({ 'model.onnx': outside })).map(([name, content]) => ({ name, content }));
  return {
    what,
    code: 'bundle_refused',
    sentence,
    archive: () => tarOf([...files, { name: 'weights', type, linkname }]),
  };
}

function ofZip(what: string, entries: readonly ZipEntry[], sentence: RegExp): HostileBundle {
  return { what, code: 'bundle_refused', sentence, archive: () => zipOf([...entriesOf(bundleFiles()), ...entries]) };
}

/** Returns a function attribute that contains a sparse tensor. */
function sparse(parts: readonly Part[]): Part {
  return [25, [[11, [[22, parts]]]]];
}

function nestedIfs(depth: number): Part[] {
  let attribute: Part[] = [[1, 'else_branch']];
  for (let level = 0; level < depth; level++)
    attribute = [
      [
        6,
        [
          [
            1,
            [
              [4, 'If'],
              [5, attribute],
            ],
          ],
        ],
      ],
    ];
  return attribute;
}

/** 20 MB of names, of tensors without elements. */
function manyNames(): Part[][] {
  return Array.from({ length: 5000 }, (_, n): Part[] => [
    [1, 0],
    [2, 1],
    [8, `${n}`.padEnd(4096, 'x')],
  ]);
}

function manyKeys(): Part[] {
  return tensor(external(Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`k${n}`, 'x'.repeat(4000)]))));
}

/** Compresses a tar with a file of zeros while generating it. */
function gzipBomb(bytes: number): Promise<Buffer> {
  return buffer(Readable.from(parts()).pipe(createGzip({ level: 1 })));

  function* parts(): Generator<Buffer> {
    const header = { type: 'file', mode: 0o644, uid: 0, gid: 0, modified: 0, target: '' } as const;
    yield encodeTarHeader({ ...header, name: 'zeros', size: bytes });
    for (let done = 0; done < bytes; done += MEBIBYTE) yield Buffer.alloc(MEBIBYTE);
  }
}

interface ZipEntry {
  readonly name: string;
  readonly content: string | Buffer;
  readonly flags?: number;
  /** 0: stored; 8: deflated. */
  readonly method?: number;
  /** The Unix mode. */
  readonly mode?: number;
  /** The unpacked size that the headers claim. */
  readonly size?: number;
  /** The extra field of the central header. */
  readonly extra?: Buffer;
  /** The entry reuses the content of the previous one. */
  readonly at?: 'before';
}

function entriesOf(files: Files): ZipEntry[] {
  return Object.entries(files).map(([name, content]) => ({ name, content }));
}

/** Writes a zip (APPNOTE 4.3) of `entries` as they are, without any checks. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let [position, before] = [0, 0];
  for (const { name, content, flags = 0, method = 8, mode = 0o100644, size, extra = Buffer.alloc(0), at } of entries) {
    const bytes = Buffer.from(content);
    const packed = method === 8 ? deflateRawSync(bytes) : bytes;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(method, 4);
    common.writeUInt32LE(crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, Buffer.from(name), packed]);
    const where = at === 'before' ? before : position;
    if (at === undefined) {
      parts.push(local);
      before = position;
      position += local.length;
    }
    common.writeUInt16LE(extra.length, 24);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(mode * 65_536, 6);
    tail.writeUInt32LE(where, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x03', 'latin1'), common, tail, Buffer.from(name), extra);
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(central.length, 8);
  end.writeUInt32LE(position, 12);
  return Buffer.concat([...parts, central, Buffer.from('PK\x05\x06'), end]);
}

/**
 * Quoted-overlap zip bomb (Fifield 2019, "A better zip bomb"): the first entry quotes the local
 * header of the second as a stored deflate block, then shares the content of the second.
 */
function quotedOverlap(): Buffer {
  const kernel = Buffer.alloc(MEBIBYTE);
  const packed = deflateRawSync(kernel);
  const inner = zipOf([{ name: 'b', content: kernel }]);
  const local = inner.subarray(0, inner.length - packed.length - 22 - 47 + packed.length);
  const header = local.subarray(0, local.length - packed.length);
  const quote = Buffer.alloc(5);
  quote.writeUInt16LE(header.length, 1);
  quote.writeUInt16LE(~header.length & 0xffff, 3);
  const whole = Buffer.concat([header, kernel]);
  const outer = Buffer.alloc(31);
  outer.write('PK\x03\x04', 'latin1');
  outer.writeUInt16LE(20, 4);
  outer.writeUInt16LE(8, 8);
  outer.writeUInt32LE(crc32(whole), 14);
  outer.writeUInt32LE(quote.length + local.length, 18);
  outer.writeUInt32LE(whole.length, 22);
  outer.writeUInt16LE(1, 26);
  outer.write('a', 30);
  const start = outer.length + quote.length;
  const first = centralOf(outer, 0);
  const second = centralOf(header, start);
  const body = Buffer.concat([outer, quote, local]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(2, 4);
  end.writeUInt16LE(2, 6);
  end.writeUInt32LE(first.length + second.length, 8);
  end.writeUInt32LE(body.length, 12);
  return Buffer.concat([body, first, second, Buffer.from('PK\x05\x06'), end]);
}

/** Returns the central header for a local header at `offset`. */
function centralOf(local: Buffer, offset: number): Buffer {
  const tail = Buffer.alloc(14);
  tail.writeUInt32LE(0o100644 * 65_536, 6);
  tail.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x03', 'latin1'), local.subarray(4, 30), tail, local.subarray(30)]);
}
