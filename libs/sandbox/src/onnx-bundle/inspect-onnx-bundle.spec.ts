import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { pack, type Header } from 'tar-stream';
import { ZipFile } from 'yazl';
import { inspectOnnxBundle, type BundleInspection } from './inspect-onnx-bundle.js';
import {
  encode,
  external,
  INT64,
  model,
  tensor,
  type Part,
} from '../../../../test/factories/models/onnx-model-parts.js';

type Files = Record<string, string | Buffer>;

const MAX = 1024 * 1024;
const shared = join(import.meta.dirname, '../../../../../shared');
const hasShared = existsSync(join(shared, 'models'));
if (!hasShared) console.warn(`SKIPPED: the inspection of real ONNX exports; there is no ${shared}`);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'onnx-bundle-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function files(more: Files = {}): Files {
  return {
    'model.onnx': model(),
    'tokenizer.json': '{"version": "1.0", "model": {"type": "WordLevel", "vocab": {"[UNK]": 0}}}',
    'tokenizer_config.json': '{"model_max_length": 128}',
    'config.json': '{"id2label": {"0": "negative", "1": "positive"}}',
    ...more,
  };
}

function tarOf(entries: Files, odd: readonly (Partial<Header> & { name: string })[] = []): Promise<Buffer> {
  const tar = pack();
  for (const [name, content] of Object.entries(entries)) tar.entry({ name }, content);
  for (const header of odd) {
    if (header.type === 'file') tar.entry(header, '');
    else tar.entry(header);
  }
  tar.finalize();
  return buffer(tar);
}

function zipOf(entries: Files, options: { mode?: number } = {}): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(entries)) zip.addBuffer(Buffer.from(content), name, options);
  zip.end();
  return buffer(zip.outputStream);
}

async function inspect(archive: Buffer, maxUnpackedBytes = MAX): Promise<BundleInspection> {
  const path = join(folder, 'upload');
  writeFileSync(path, archive);
  return inspectOnnxBundle(path, join(folder, 'bundle'), { maxUnpackedBytes });
}

function refused(code: string, message: RegExp) {
  return { kind: 'refused', code, message: expect.stringMatching(message) };
}

describe('an archive of an ONNX export', () => {
  it.each([
    ['zip', () => zipOf(files())],
    ['tar', () => tarOf(files())],
    ['gzipped tar', async () => gzipSync(await tarOf(files()))],
    ['tar with ./ before each name', () => tarOf(under('./', files()))],
    ['zip with one folder', () => zipOf(under('export/', files({ 'README.md': 'hello' })))],
    ['zip with what macOS adds', () => zipOf({ ...under('export/', files()), '__MACOSX/export/._config.json': 'x' })],
  ])('is admitted as a %s', async (_, archive) => {
    const inspection = await inspect(await archive());

    expect(inspection).toMatchObject({
      kind: 'admitted',
      bundle: {
        purpose: { kind: 'classification', labels: ['negative', 'positive'] },
        opset: { '': 17 },
        inputs: ['input_ids', 'attention_mask'],
        outputs: ['logits'],
      },
    });
    if (inspection.kind !== 'admitted') return;
    expect(inspection.bundle.files.map(({ name }) => name)).toEqual([
      'model.onnx',
      'config.json',
      'tokenizer_config.json',
      'tokenizer.json',
    ]);
    for (const { name, path, size } of inspection.bundle.files) {
      expect(path).toMatch(/bundle\/f\d+$/);
      expect(readFileSync(path)).toEqual(Buffer.from(files()[name]!));
      expect(size).toBe(files()[name]!.length);
    }
  });

  it('names what is missing, and where it was seen', async () => {
    const { 'model.onnx': onnx, ...others } = files();
    const inspection = await inspect(await zipOf({ ...others, 'onnx/model.onnx': onnx! }));
    expect(inspection).toEqual(refused('bundle_incomplete', /no model\.onnx.*"onnx\/model\.onnx"/));
  });

  it('is refused where classes have no names', async () => {
    const inspection = await inspect(await zipOf(files({ 'config.json': '{"architectures": []}' })));
    expect(inspection).toEqual(refused('bundle_incomplete', /id2label/));
  });

  it('needs no classes where it finds spans', async () => {
    const spans = model({ outputs: ['start_logits', 'end_logits'] });
    const inspection = await inspect(await zipOf(files({ 'config.json': '{}', 'model.onnx': spans })));
    expect(inspection).toMatchObject({ kind: 'admitted', bundle: { purpose: { kind: 'span' } } });
  });

  it.each([
    ['config.json', '{', /config\.json is not valid JSON/],
    ['config.json', '[]', /config\.json is not a JSON object/],
    ['config.json', '{"id2label": {"0": "a", "2": "b"}}', /no label for 1/],
    ['config.json', '{"id2label": {"0": "a", "1": "a"}}', /"a" twice/],
    ['tokenizer.json', '{}', /tokenizer\.json has no "model"/],
    ['config.json', ' '.repeat(MAX) + '{}', /1048578 bytes; the limit is 1048576/],
  ])('is refused for a %s that is wrong (%#)', async (name, content, sentence) => {
    expect(await inspect(await zipOf(files({ [name]: content })), 4 * MAX)).toEqual(
      refused('bundle_refused', sentence),
    );
  });

  it('leaves nothing behind when it is refused', async () => {
    await inspect(await zipOf({ 'readme.txt': 'hello' }));
    expect(readdirSync(folder)).toEqual(['upload']);
  });
});

describe('the folder that a bundle is unpacked into', () => {
  it('keeps what else lies in it', async () => {
    mkdirSync(join(folder, 'bundle'));
    writeFileSync(join(folder, 'bundle', 'other'), 'mine');
    await inspect(await zipOf({ 'readme.txt': 'hello' }));
    expect(readdirSync(join(folder, 'bundle'))).toEqual(['other']);
  });

  it('is left empty when the inspection is aborted', async () => {
    const path = join(folder, 'upload');
    writeFileSync(path, await tarOf(files()));
    const limits = { maxUnpackedBytes: MAX, signal: AbortSignal.abort(new Error('the run was cancelled')) };

    await expect(inspectOnnxBundle(path, join(folder, 'bundle'), limits)).rejects.toThrow('the run was cancelled');
    expect(readdirSync(folder)).toEqual(['upload']);
  });
});

describe('a hostile or damaged archive', () => {
  it.each([
    ['no archive', Buffer.from('hello, this is no archive'), 'not_a_bundle', /neither a zip nor a tar/],
    ['an empty file', Buffer.alloc(0), 'not_a_bundle', /neither a zip nor a tar/],
    ['gzipped text', gzipSync(Buffer.alloc(2048, 'x')), 'not_a_bundle', /neither a zip nor a tar/],
  ])('is refused: %s', async (_, archive, code, sentence) => {
    expect(await inspect(archive)).toEqual(refused(code, sentence));
  });

  it.each([
    ['a symbolic link', { name: 'model.onnx_data', type: 'symlink', linkname: '/etc/passwd' }, /is a symlink/],
    ['a hard link', { name: 'model.onnx_data', type: 'link', linkname: 'config.json' }, /is a link/],
    ['a device', { name: 'zero', type: 'character-device' }, /is a character-device/],
    ['a name that escapes', { name: '../../evil', type: 'file' }, /would leave the bundle's folder/],
    ['an absolute name', { name: '/etc/evil', type: 'file' }, /would leave the bundle's folder/],
    ['a second entry of one name', { name: './Config.json', type: 'file' }, /two entries/],
  ] as const)('is refused: a tar with %s', async (_, header, sentence) => {
    expect(await inspect(await tarOf(files(), [header]))).toEqual(refused('bundle_refused', sentence));
  });

  it.each([
    ['a name that escapes', 'export/xx/evil', 'export/../evil', /invalid relative path|leave the bundle/],
    ['a second entry of one name', 'config.jsom', 'config.json', /two entries/],
  ])('is refused: a zip with %s', async (_, written, patched, sentence) => {
    const archive = await zipOf(files({ [written]: 'x' }));
    for (let at = archive.indexOf(written); at !== -1; at = archive.indexOf(written, at + 1)) {
      archive.write(patched.padEnd(written.length, '/').slice(0, written.length), at);
    }
    if (patched.length < written.length) {
      // the shorter name: both headers say its length
      setNameLengths(archive, written.length, patched.length);
    }
    expect(await inspect(archive)).toEqual(refused('bundle_refused', sentence));
  });

  it('is refused: a zip with a symbolic link', async () => {
    const archive = await zipOf(files(), { mode: 0o120777 });
    expect(await inspect(archive)).toEqual(refused('bundle_refused', /symbolic link/));
  });

  it('is refused: a zip with an encrypted entry', async () => {
    const archive = await zipOf(files());
    archive.writeUInt16LE(archive.readUInt16LE(centralHeader(archive, 0) + 8) | 1, centralHeader(archive, 0) + 8);
    expect(await inspect(archive)).toEqual(refused('bundle_refused', /encrypted/));
  });

  it('is refused: a zip with overlapping entries', async () => {
    const archive = await zipOf(files());
    // the second entry's data is the first's
    archive.writeUInt32LE(archive.readUInt32LE(centralHeader(archive, 0) + 42), centralHeader(archive, 1) + 42);
    expect(await inspect(archive)).toEqual(refused('bundle_refused', /overlap/));
  });

  it('is refused: a zip whose content differs from its checksum', async () => {
    const archive = await zipOf(files());
    const central = centralHeader(archive, 2);
    archive.writeUInt8(archive.readUInt8(central + 16) ^ 1, central + 16);
    expect(await inspect(archive)).toEqual(refused('archive_truncated', /checksum/));
  });

  it.each([
    ['zip', () => zipOf(files())],
    ['tar', () => tarOf(files())],
    ['gzipped tar', async () => gzipSync(await tarOf(files()))],
  ])('is refused wherever a %s is cut', async (_, make) => {
    const archive = await make();
    for (const share of [0.3, 0.6, 0.8]) {
      // whole blocks, so that the cut falls between two entries of a tar as well
      const cut = Math.floor((archive.length * share) / 512) * 512 || Math.floor(archive.length * share);
      expect(await inspect(archive.subarray(0, cut))).toEqual(refused('archive_truncated', /./));
    }
  });

  it.each([
    ['zip', () => zipOf(files({ 'zeros.bin': Buffer.alloc(2 * MAX) }))],
    ['gzipped tar', async () => gzipSync(await tarOf(files({ 'zeros.bin': Buffer.alloc(2 * MAX) })))],
    [
      'gzipped tar that hides it deep',
      async () => gzipSync(await tarOf(files({ 'a/b/c/zeros': Buffer.alloc(2 * MAX) }))),
    ],
    [
      'gzipped tar of nothing but zeros at its end',
      async () => gzipSync(Buffer.concat([await tarOf(files()), Buffer.alloc(32 * MAX)])),
    ],
  ])('is refused: a %s that unpacks to more than is allowed', async (_, archive) => {
    expect(await inspect(await archive())).toEqual(refused('unpacked_too_large', /1048576|17825792/));
  });

  it.each([
    ['by its name', { 'libcustom.so.1': 'x' }],
    ['by its content', { 'weights.bin': Buffer.from('\x7fELF\x02\x01\x01', 'latin1') }],
  ])('is refused: a shared object, known %s', async (_, more) => {
    expect(await inspect(await tarOf(files(more)))).toEqual(refused('bundle_refused', /must not contain code/));
  });
});

describe('the model of a bundle', () => {
  const inspectModel = async (onnx: Buffer, more: Files = {}) =>
    inspect(await tarOf(files({ 'model.onnx': onnx, ...more })));
  const data = { 'model.onnx_data': Buffer.alloc(100) };

  it('may keep its weights in a file beside it, which goes with it', async () => {
    const outside = tensor(external({ location: 'model.onnx_data', offset: '76', length: '24' }));
    const inspection = await inspectModel(model({ initializers: [outside, tensor()] }), data);
    expect(inspection).toMatchObject({ kind: 'admitted' });
    if (inspection.kind === 'admitted') expect(inspection.bundle.files.at(-1)?.name).toBe('model.onnx_data');
  });

  it('may list its weights among its inputs, as old exports do', async () => {
    const inspection = await inspectModel(model({ inputs: ['input_ids', 'weight'] }));
    expect(inspection).toMatchObject({ kind: 'admitted', bundle: { inputs: ['input_ids'] } });
  });

  it('names the file beside it that is missing', async () => {
    const outside = tensor(external({ location: 'model.onnx_data' }));
    expect(await inspectModel(model({ initializers: [outside] }))).toEqual(
      refused('bundle_incomplete', /no "model\.onnx_data", in which the tensor "weight" is stored/),
    );
  });

  it.each<[string, readonly Part[], RegExp]>([
    [
      'outside the bundle',
      tensor(external({ location: '/etc/passwd' })),
      /"\/etc\/passwd", which is not a plain file name/,
    ],
    ['in a folder above', tensor(external({ location: '../model.onnx_data' })), /not a plain file name/],
    [
      'at an address in memory',
      tensor(external({ location: '*/_ORT_MEM_ADDR_/*', offset: '4096' })),
      /not a plain file name/,
    ],
    [
      'beyond the end of its file',
      tensor(external({ location: 'model.onnx_data', offset: '80' })),
      /to byte 104 .* which has 100 bytes/,
    ],
    ['at a negative offset', tensor(external({ location: 'model.onnx_data', offset: '-8' })), /external offset "-8"/],
    [
      'in more bytes than it has',
      tensor(external({ location: 'model.onnx_data', length: '32' })),
      /32 bytes.*require 24/,
    ],
    [
      'both inside and outside',
      tensor([[9, Buffer.alloc(24)], ...external({ location: 'model.onnx_data' })]),
      /both internal and external/,
    ],
    [
      'under an unknown key',
      tensor(external({ location: 'model.onnx_data', blob: '1' })),
      /unknown external_data "blob"/,
    ],
    ['outside, but does not say so', tensor([...external({ location: '/etc/passwd' }).slice(0, 1)]), /not EXTERNAL/],
    ['in too few bytes', tensor([[9, Buffer.alloc(20)]]), /20 bytes; its shape and type require 24/],
    ['in too few numbers', tensor([[4, Buffer.alloc(20)]]), /5 values; its shape and type require 6/],
    ['nowhere', tensor([]), /0 values/],
    ['in a shape beyond all numbers', tensor([], [2 ** 40, 2 ** 40]), /too many elements to count/],
    ['in an unknown type', tensor([], [1], 99), /unknown data type 99/],
    [
      'in two places',
      tensor([
        [9, Buffer.alloc(24)],
        [9, Buffer.alloc(24)],
      ]),
      /two values of raw_data/,
    ],
  ])('is refused where a tensor lies %s', async (_, odd, sentence) => {
    expect(await inspectModel(model({ initializers: [odd] }), data)).toEqual(refused('bundle_refused', sentence));
  });

  it('has its tensors checked wherever they hide', async () => {
    const odd: Part[] = tensor(external({ location: '/etc/passwd' }));
    const graph = (parts: Part[]): Part[] => [
      [
        1,
        [
          [4, 'Constant'],
          [5, parts],
        ],
      ],
    ];
    const sparse: Part[] = [
      [1, tensor()],
      [2, odd],
      [3, 2],
    ];
    const places: Buffer[] = [
      model({ attributes: [[[5, odd]]] }),
      model({
        attributes: [
          [
            [10, tensor()],
            [10, odd],
          ],
        ],
      }),
      model({ attributes: [[[6, graph([[5, odd]])]]] }),
      model({ attributes: [[[11, graph([[22, sparse]])]]] }),
      model({ attributes: [[[23, sparse]]] }),
      model({ more: [[20, [[1, [[5, odd]]]]]] }),
      model({ more: [[25, graph([[5, odd]]).map(([, node]): Part => [7, node])]] }),
      model({ more: [[25, [[11, [[5, odd]]]]]] }),
    ];
    for (const place of places)
      expect(await inspectModel(place)).toEqual(refused('bundle_refused', /not a plain file name/));
  });

  it.each([
    ['a node', model({ domain: 'evil.ops' })],
    [
      'an operator set',
      model({
        more: [
          [
            8,
            [
              [1, 'evil.ops'],
              [2, 1],
            ],
          ],
        ],
      }),
    ],
    ['a function', model({ more: [[25, [[10, 'evil.ops']]]] })],
  ])('is refused where %s is of another domain', async (_, onnx) => {
    expect(await inspectModel(onnx)).toEqual(refused('bundle_refused', /the domain "evil\.ops"/));
  });

  it.each(['ai.onnx', 'ai.onnx.ml', 'com.microsoft'])('may use operators of %s', async (domain) => {
    expect(await inspectModel(model({ domain }))).toMatchObject({ kind: 'admitted' });
  });

  it('is refused where it nests too deep', async () => {
    let attribute: Part[] = [[1, 'else_branch']];
    for (let depth = 0; depth < 25; depth++)
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
    expect(await inspectModel(model({ attributes: [attribute] }))).toEqual(
      refused('bundle_refused', /nested too deeply: the limit is 64/),
    );
  });

  it.each([
    ['text', Buffer.from('not a protobuf at all, only words'), /not an ONNX model/],
    ['nothing', Buffer.alloc(0), /no graph/],
    ['half a model', model().subarray(0, 60), /not an ONNX model/],
    ['two graphs, which a parser would merge', Buffer.concat([model(), model().subarray(2)]), /the field 7 twice/],
    ['a group', Buffer.concat([model(), Buffer.from([0x3b, 0x3c])]), /wire type 3/],
    ['an endless integer', Buffer.concat([model(), Buffer.alloc(20, 0xff)]), /ten bytes|too large/],
  ])('is refused where it is %s', async (_, onnx, sentence) => {
    expect(await inspectModel(onnx)).toEqual(refused('bundle_refused', sentence));
  });

  it('is refused where it wants what the runner does not feed', async () => {
    expect(await inspectModel(model({ inputs: ['input_ids', 'pixel_values'] }))).toEqual(
      refused('bundle_refused', /requires the input "pixel_values"/),
    );
  });

  it('reads numbers in every form that protobuf allows', async () => {
    const packed: Part[] = [
      [1, Buffer.from([2, 3])],
      [2, INT64],
      [7, Buffer.from([1, 2, 3, 4, 0x80, 1, 6])],
    ];
    const plain: Part[] = [
      [1, 2],
      [2, INT64],
      [7, 5],
      [7, 2 ** 40],
    ];
    expect(await inspectModel(model({ initializers: [packed, plain] }))).toMatchObject({ kind: 'admitted' });
  });

  it('reads past a large tensor without reading it', async () => {
    const large = tensor([[9, Buffer.alloc(8_000_000)]], [2_000_000]);
    const archive = await tarOf(files({ 'model.onnx': model({ initializers: [large, tensor()] }) }));
    expect(await inspect(archive, 16 * MAX)).toMatchObject({ kind: 'admitted' });
  });

  it('is never held against a field that onnx.proto will have one day', async () => {
    const onnx = Buffer.concat([
      model(),
      encode([
        [900, 'new'],
        [901, 7],
      ]),
    ]);
    expect(await inspectModel(onnx)).toMatchObject({ kind: 'admitted' });
  });
});

(hasShared ? describe : describe.skip)('a real ONNX export', () => {
  it.each([
    ['sentiment-bow', { kind: 'classification', labels: ['negative', 'neutral', 'positive'] }],
    ['sentiment-cnn', { kind: 'classification', labels: ['negative', 'neutral', 'positive'] }],
    ['hate-bow', { kind: 'classification', labels: ['not-hateful', 'hateful'] }],
    ['nli-pair', { kind: 'classification', labels: ['entailment', 'neutral', 'contradiction'] }],
    ['qa-span', { kind: 'span' }],
  ])('is admitted: %s', async (name, purpose) => {
    const source = join(shared, 'models', name);
    const entries = Object.fromEntries(readdirSync(source).map((file) => [file, readFileSync(join(source, file))]));
    expect(await inspect(await zipOf(entries), 64 * MAX)).toMatchObject({ kind: 'admitted', bundle: { purpose } });
  });
});

function under(prefix: string, entries: Files): Files {
  return Object.fromEntries(Object.entries(entries).map(([name, content]) => [prefix + name, content]));
}

/** Position of the central directory's `index`-th header. */
function centralHeader(archive: Buffer, index: number): number {
  let at = archive.indexOf('PK\x01\x02', 0, 'latin1');
  for (let seen = 0; seen < index; seen++) at = archive.indexOf('PK\x01\x02', at + 1, 'latin1');
  return at;
}

function setNameLengths(archive: Buffer, from: number, to: number): void {
  for (let at = 0; at < archive.length - 46; at++) {
    if (archive.toString('latin1', at, at + 4) === 'PK\x03\x04' && archive.readUInt16LE(at + 26) === from) {
      archive.writeUInt16LE(to, at + 26);
      archive.writeUInt16LE(archive.readUInt16LE(at + 28) + from - to, at + 28);
    }
    if (archive.toString('latin1', at, at + 4) === 'PK\x01\x02' && archive.readUInt16LE(at + 28) === from) {
      archive.writeUInt16LE(to, at + 28);
      archive.writeUInt16LE(archive.readUInt16LE(at + 30) + from - to, at + 30);
    }
  }
}

describe('a bundle that is compressed a thousandfold', () => {
  const MIB = 2 ** 20;
  const inspected = async (zeros: number): Promise<BundleInspection> => {
    const path = join(folder, 'upload');
    writeFileSync(path, gzipSync(await tarOf(files({ 'weights.bin': Buffer.alloc(zeros) }))));
    return inspectOnnxBundle(path, join(folder, 'bundle'), { maxUnpackedBytes: 1024 * MIB });
  };

  it('is refused above 64 MiB', async () => {
    const inspection = await inspected(65 * MIB);
    expect(inspection).toMatchObject({
      kind: 'refused',
      code: 'bundle_refused',
      message: expect.stringMatching(/^The bundle unpacks to more than 100 times the \d+ bytes of its archive\.$/),
    });
  });

  it('may have less', async () => {
    expect(await inspected(60 * MIB)).not.toMatchObject({ message: expect.stringContaining('100 times') });
  });
});
