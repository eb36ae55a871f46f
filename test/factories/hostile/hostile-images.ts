import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGzip, createZstdCompress, gzipSync } from 'node:zlib';

import type { FailureCode } from '@assay/contracts/models';

import { encodeTarHeader, tarPadding } from '../../../libs/sandbox/src/image-archive/tar-header.js';
import {
  configOf,
  type Entry,
  type ImageLayer,
  type ImageParts,
  layoutBlobs,
  layoutFiles,
  savedImageFiles,
  sha256,
  tarOf,
} from '../models/submitted-images.js';

/** The format of an image archive: as written by `docker save`, or an OCI image layout. */
export type Layout = 'saved' | 'layout';

export const LAYOUTS: readonly Layout[] = ['saved', 'layout'];

export interface HostileImage {
  readonly what: string;
  readonly code: FailureCode;
  /** The expected failure message. */
  readonly sentence: RegExp;
  /** The possible layouts; default: both. */
  readonly layouts?: readonly Layout[];
  readonly archive: (layout: Layout) => Promise<Buffer>;
}

const MEBIBYTE = 1 << 20;

const serve: Entry = { name: 'serve', mode: 0o755, content: '#!/bin/sh\n' };

/** Returns the files of `image` in `layout`. */
export function filesOf(image: ImageParts, layout: Layout): Entry[] {
  if (layout === 'saved') return savedImageFiles(image);
  const { files, descriptor, tagged } = layoutBlobs(image);
  return layoutFiles(files, image.tags ? tagged : [descriptor]);
}

/**
 * Image archives that a platform must reject.
 * @param bombBytes The minimum unpacked size of each bomb. Its archive is about a thousandth of
 * that. The other archives unpack to at most 16 MiB.
 */
export const hostileImages = (bombBytes: number): readonly HostileImage[] => [
  ofEntries(
    '`..` in a name',
    [serve, { name: 'a/../../../etc/passwd', content: 'x' }],
    /^Layer 1 of 1 .*"a\/\.\.\/.* contains `\.\.`/,
  ),
  ofEntries(
    'a hard link out of the image',
    [{ name: 'h', type: 'link', linkname: '../../../etc/shadow' }],
    /contains `\.\.`/,
  ),
  ofEntries(
    'a hard link to a file of the host',
    [{ name: 'h', type: 'link', linkname: '/etc/shadow' }],
    /"h" is a hard link to "\/etc\/shadow"/,
  ),
  ofEntries(
    'a hard link through a symlink',
    [
      { name: 'out', type: 'symlink', linkname: '/etc' },
      { name: 'h', type: 'link', linkname: 'out/shadow' },
    ],
    /"h" is a hard link to "out\/shadow"/,
  ),
  ofEntries(
    'a file behind symlinks in a circle',
    [
      { name: 'a', type: 'symlink', linkname: 'b' },
      { name: 'b', type: 'symlink', linkname: 'a' },
      { name: 'a/x', content: 'x' },
    ],
    /is behind a loop of symlinks/,
  ),
  ofEntries('a sparse file', [{ name: 'x', pax: { 'GNU.sparse.major': '1' } }], /"x" is a sparse file/),
  ofEntries(
    'a pax header of 70 KB',
    [{ name: 'x', pax: { comment: 'x'.repeat(70_000) } }],
    /extended header of 700\d\d bytes/,
  ),
  ofTar('a GNU long name of 4 MB', () => longName(4 * MEBIBYTE), /extended header of 4194304 bytes/),
  ofTar(
    'a global header that would count for every entry',
    () => globalHeader(manyRecords(400_000), 2000),
    /extended header of \d{7} bytes/,
  ),
  ofBomb('a gzip bomb', () => packedZeros(bombBytes, 'gzip')),
  ofBomb('a zstd bomb', () => packedZeros(bombBytes, 'zstd')),
  {
    what: 'a bomb around it all',
    code: 'unpacked_too_large',
    sentence: /^The archive is compressed\. .*the limit is \d+ bytes/,
    archive: () => gzippedTar([{ name: 'manifest.json' }], () => bombBytes),
  },
  ofLayer(
    'a zstd frame with a window of 128 MiB',
    async () => windowed(await tarOf([serve]), 27),
    /window is larger than the limit of 32 MiB/,
  ),
  ofLayer(
    'a zstd frame with a window of 2 GiB',
    async () => windowed(await tarOf([serve]), 31),
    /window is larger than the limit of 32 MiB/,
  ),
  ofLayer('another compression within', async () => gzipSync(gzipSync(await tarOf([serve]))), /not a valid tar/),
  {
    what: 'a layer that is named 127 times, and is nothing but padding',
    code: 'unpacked_too_large',
    sentence: /The packed layers of the image have \d+ bytes/,
    layouts: ['layout'],
    archive: async (layout) => {
      const tar = await tarOf([serve]);
      const packed = Buffer.concat([skippedFrames(3 * MEBIBYTE), plainFrame(tar)]);
      return tarOf(filesOf({ layers: Array.from({ length: 127 }, () => ({ tar, packed })) }, layout).filter(once()));
    },
  },
  {
    what: 'a very large configuration',
    code: 'image_refused',
    sentence: /has \d+ bytes; the limit is 1048576/,
    archive: async (layout) => {
      const image = { layers: [{ tar: await tarOf([serve]) }] };
      const config = sha256(configOf(image));
      return gzippedTar(filesOf(image, layout), (name) => (name.includes(config) ? bombBytes / 2 : undefined));
    },
  },
  {
    what: 'more than 127 layers',
    code: 'image_refused',
    sentence: /has 128 layers; the limit is 127/,
    archive: async (layout) => {
      const tar = await tarOf([]);
      return tarOf(filesOf({ layers: Array.from({ length: 128 }, () => ({ tar })) }, layout));
    },
  },
  withParts('a layer kept elsewhere', { urls: ['http://127.0.0.1:9/layer'] }, /stored outside the archive, at "http:/),
  withParts(
    'a foreign layer',
    { mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip' },
    /foreign layer/,
  ),
  {
    what: 'a layer that is not what its configuration says',
    code: 'image_refused',
    sentence: /Its digest is sha256:[0-9a-f]{64}, but the configuration/,
    archive: async (layout) =>
      tarOf(filesOf({ layers: [{ tar: await tarOf([serve]) }], diffIds: [`sha256:${'0'.repeat(64)}`] }, layout)),
  },
  {
    what: 'a packed layer that is not what its name says',
    code: 'image_refused',
    sentence: /digest of its packed bytes is sha256:/,
    layouts: ['layout'],
    archive: async (layout) => {
      const tar = await tarOf([serve]);
      const files = filesOf({ layers: [{ tar, packed: gzipSync(tar) }] }, layout);
      return tarOf(files.with(-1, { ...files.at(-1)!, content: gzipSync(tar, { level: 1 }) }));
    },
  },
  {
    what: 'a configuration that is not what its name says',
    code: 'image_refused',
    sentence: /does not have the digest that its name states/,
    archive: async (layout) => {
      const image = { layers: [{ tar: await tarOf([serve]) }] };
      const config = configOf(image);
      const other = configOf({ ...image, config: { Cmd: ['/other'] } });
      return tarOf(
        filesOf(image, layout).map((file) =>
          file.content?.toString() === config ? { ...file, content: other } : file,
        ),
      );
    },
  },
  {
    what: 'a manifest that is not what its name says',
    code: 'image_refused',
    sentence: /does not have the digest that its name states/,
    layouts: ['layout'],
    archive: async (layout) => {
      const files = filesOf({ layers: [{ tar: await tarOf([serve]) }] }, layout);
      return tarOf(files.with(3, { ...files[3]!, content: `${String(files[3]!.content)} ` }));
    },
  },
  {
    what: 'names that would fill the memory',
    code: 'image_refused',
    sentence: /a name of 60007 bytes before byte \d+; the limit is 4096/,
    layouts: ['saved'],
    archive: () => {
      const names = Array.from({ length: 500 }, (_, index) => longName(60_007, String(index)));
      return Promise.resolve(gzipSync(Buffer.concat([...names, Buffer.alloc(1024)])));
    },
  },
  {
    what: 'half an archive',
    code: 'archive_truncated',
    sentence: /^The archive ends at byte \d+, within ".*", which should continue to byte \d+/,
    archive: async (layout) => {
      const files = filesOf(
        { layers: [{ tar: await tarOf([{ ...serve, content: Buffer.alloc(MEBIBYTE) }]) }] },
        layout,
      );
      return (await tarOf(files)).subarray(0, MEBIBYTE / 2);
    },
  },
  {
    what: 'half a compressed layer',
    code: 'archive_truncated',
    sentence: /^Layer 1 of 1 .*ends early/,
    archive: async (layout) => {
      const tar = await tarOf([serve]);
      return tarOf(filesOf({ layers: [{ tar, packed: gzipSync(tar).subarray(0, 60) }] }, layout));
    },
  },
  {
    what: 'a compressed layer with damage in it',
    code: 'image_refused',
    sentence: /^Layer 1 of 1 .*compressed data is damaged/,
    archive: async (layout) => {
      const tar = await tarOf([serve]);
      const packed = gzipSync(tar);
      packed.fill(0xff, 20, 40);
      return tarOf(filesOf({ layers: [{ tar, packed }] }, layout));
    },
  },
];

/** A tag in the platform's own format, of an image that nobody submitted. */
export const PLANTED_TAG = `assay/model:${'0'.repeat(64)}`;

/**
 * Parts that a builder may put into an image and that must have no effect. The image would claim
 * `tags`.
 */
export function untidyParts(tags: readonly string[]): Pick<ImageParts, 'tags'> & {
  readonly config: Record<string, unknown>;
  readonly entries: readonly Entry[];
} {
  return {
    tags: [...tags, PLANTED_TAG, ...Array.from({ length: 500 }, (_, index) => `assay-probe/tag:${index}`)],
    config: {
      User: 'root',
      Volumes: { '/data': {}, '/tmp': {} },
      Healthcheck: { Test: ['CMD-SHELL', 'kill -9 -1'], Interval: 1e9 },
      OnBuild: ['RUN rm -rf /'],
      Shell: ['/bin/false'],
      StopSignal: 'SIGSTOP',
      Labels: { 'com.docker.compose.project': 'other' },
    },
    entries: [
      { name: '/absolute', content: 'a' },
      { name: 'twice', content: 'first' },
      { name: 'out', type: 'symlink', linkname: '../../../../etc' },
      { name: 'out/assay-probe', content: 'behind a symlink' },
      { name: 'dev/sda', type: 'block-device', devmajor: 8, devminor: 0 },
      { name: 'dev/mem', type: 'character-device', devmajor: 1, devminor: 1 },
      { name: 'pipe', type: 'fifo' },
      { name: './twice', content: 'second' },
      ...relayPlaces,
    ],
  };
}

/** Entries that would hide the relay's files under gVisor, or redirect its socket. */
const relayPlaces: readonly Entry[] = [
  { name: 'run/.wh..wh..opq' },
  { name: 'run/.wh.relay' },
  { name: 'run/assay-relay/.wh..wh..opq' },
  { name: 'run/assay-socket', type: 'symlink', linkname: '/mnt' },
];

/** Redirects all of the relay's files under gVisor to a folder that the model can write to. */
export const runElsewhere: Entry = { name: 'run', type: 'symlink', linkname: '/tmp' };

function ofEntries(what: string, entries: readonly Entry[], sentence: RegExp): HostileImage {
  return ofTar(what, () => tarOf(entries), sentence);
}

function ofTar(what: string, tar: () => Promise<Buffer> | Buffer, sentence: RegExp): HostileImage {
  return {
    what,
    code: 'image_refused',
    sentence,
    archive: async (layout) => {
      const plain = await tar();
      return tarOf(filesOf({ layers: [{ tar: plain, packed: gzipSync(plain) }] }, layout));
    },
  };
}

function ofLayer(what: string, packed: () => Promise<Buffer>, sentence: RegExp): HostileImage {
  return {
    what,
    code: 'image_refused',
    sentence,
    archive: async (layout) =>
      tarOf(filesOf({ layers: [{ tar: await tarOf([serve]), packed: await packed() }] }, layout)),
  };
}

function ofBomb(what: string, packed: () => Promise<Buffer>): HostileImage {
  return {
    what,
    code: 'unpacked_too_large',
    sentence: /^Layer 1 of 1 .*The unpacked image is too large: the limit is \d+ bytes/,
    archive: async (layout) => tarOf(filesOf({ layers: [{ tar: Buffer.alloc(0), packed: await packed() }] }, layout)),
  };
}

function withParts(what: string, parts: Omit<ImageLayer, 'tar' | 'packed'>, sentence: RegExp): HostileImage {
  return {
    what,
    code: 'image_refused',
    sentence,
    archive: async (layout) => {
      const tar = await tarOf([serve]);
      const files = filesOf({ layers: [{ tar, ...parts }] }, layout);
      if (layout === 'layout') return tarOf(files);
      const [manifest] = JSON.parse(String(files.at(-1)!.content)) as Record<string, unknown>[];
      const saved = [{ ...manifest, LayerSources: { [`sha256:${sha256(tar)}`]: parts } }];
      return tarOf(files.with(-1, { name: 'manifest.json', content: JSON.stringify(saved) }));
    },
  };
}

const packings = new Map<string, Promise<Buffer>>();

/**
 * Returns the start of a layer with a file of `bytes` zeros. Cached, because it is the same in
 * every layout.
 */
function packedZeros(bytes: number, compression: 'gzip' | 'zstd'): Promise<Buffer> {
  const key = `${compression} ${bytes}`;
  const known = packings.get(key) ?? packZeros(bytes, compression);
  packings.set(key, known);
  return known;
}

/** Compresses the zeros while generating them. */
function packZeros(bytes: number, compression: 'gzip' | 'zstd'): Promise<Buffer> {
  const header = { name: 'zeros', type: 'file', mode: 0o644, uid: 0, gid: 0, modified: 0, target: '' } as const;
  const packing = compression === 'gzip' ? createGzip({ level: 1 }) : createZstdCompress();
  return buffer(Readable.from(parts()).pipe(packing));

  function* parts(): Generator<Buffer> {
    yield encodeTarHeader({ ...header, size: bytes });
    yield* zeros(bytes);
  }
}

/**
 * Returns a gzipped tar of `entries`, compressed while it is generated. Entries for which `zerosOf`
 * returns a size have zeros as their content.
 */
function gzippedTar(entries: readonly Entry[], zerosOf: (name: string) => number | undefined): Promise<Buffer> {
  return buffer(Readable.from(parts()).pipe(createGzip({ level: 1 })));

  function* parts(): Generator<Buffer> {
    for (const { name, type, content } of entries) {
      const bytes = Buffer.from(content ?? '');
      const size = zerosOf(name) ?? bytes.length;
      const folder = type === 'directory' ? ('directory' as const) : ('file' as const);
      yield encodeTarHeader({ name, type: folder, size, mode: 0o755, uid: 0, gid: 0, modified: 0, target: '' });
      if (size === bytes.length) yield bytes;
      else yield* zeros(size);
      yield Buffer.alloc(tarPadding(size));
    }
    yield Buffer.alloc(1024);
  }
}

function* zeros(bytes: number): Generator<Buffer> {
  const chunk = Buffer.alloc(MEBIBYTE);
  for (let done = 0; done < bytes; done += chunk.length) yield chunk.subarray(0, Math.min(chunk.length, bytes - done));
}

function rawHeader(name: string, size: number, type: string): Buffer {
  const block = encodeTarHeader({ name, type: 'file', size, mode: 0o644, uid: 0, gid: 0, modified: 0, target: '' });
  block.write(type, 156, 'latin1');
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

/** Returns an entry with a name of `bytes` bytes in GNU format. */
function longName(bytes: number, start = ''): Buffer {
  const name = Buffer.alloc(bytes, 'x');
  name.write(start);
  return Buffer.concat([rawHeader('L', bytes, 'L'), name, Buffer.alloc(tarPadding(bytes)), rawHeader('q', 0, '0')]);
}

/**
 * Returns a global pax header, and entries with their own pax header. Some readers copy the global
 * records to each entry.
 */
export function globalHeader(records: string, entries: number): Buffer {
  const content = Buffer.from(records);
  const own = Buffer.concat([rawHeader('pax', 9, 'x'), Buffer.from('9 a=bcde\n'), Buffer.alloc(503)]);
  const header = [rawHeader('g', content.length, 'g'), content, Buffer.alloc(tarPadding(content.length))];
  const files = Array.from({ length: entries }, (_, index) => [own, rawHeader(String(index), 0, '0')]).flat();
  return Buffer.concat([...header, ...files, Buffer.alloc(1024)]);
}

function manyRecords(count: number): string {
  return Array.from({ length: count }, (_, index) => {
    const record = ` ${index.toString(36)}=\n`;
    return `${record.length + (record.length > 8 ? 2 : 1)}${record}`;
  }).join('');
}

/**
 * Returns a zstd frame of one raw block that asks for a window of 2^`log` bytes (RFC 8878, 3.1.1).
 */
function windowed(content: Buffer, log: number): Buffer {
  const header = Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0x00, (log - 10) << 3]);
  const block = Buffer.alloc(3);
  block.writeUIntLE((content.length << 3) | 1, 0, 3);
  return Buffer.concat([header, block, content]);
}

/** Returns a zstd frame of one raw block. */
export function plainFrame(content: Buffer): Buffer {
  return windowed(content, 17);
}

/** Returns empty skippable zstd frames of 8 bytes each. */
export function skippedFrames(bytes: number): Buffer {
  return Buffer.alloc(bytes, Buffer.from('502a4d1800000000', 'hex'));
}

/** Returns a filter that keeps only the first file of each name. */
function once(): (file: Entry) => boolean {
  const seen = new Set<string>();
  return ({ name }) => seen.size < seen.add(name).size;
}
