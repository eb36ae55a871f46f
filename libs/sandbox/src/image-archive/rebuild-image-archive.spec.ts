import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';

import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { extract, type Header } from 'tar-stream';

import {
  type Entry,
  type ImageParts,
  layoutBlobs,
  layoutFiles,
  savedImageFiles,
  sha256,
  tarOf,
} from '../../../../test/factories/models/submitted-images.js';
import { type ImageAdmission, rebuildImageArchive, type RebuildOptions } from './rebuild-image-archive.js';

const digest = 'd'.repeat(64);
const serve: Entry = { name: 'serve', mode: 0o755, content: '#!/bin/sh\n' };
let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-image-'));
});
afterEach(() => rm(folder, { recursive: true }));

describe('the digest of the content of an image', () => {
  it('depends on layers and configuration, not on tags, dates, compression or the layout', async () => {
    const tar = await tarOf([serve]);
    const digestOf = async (files: Entry[], repack = (archive: Buffer) => archive) => {
      const { admission } = await rebuilt(repack(await tarOf(files)));
      return admission.kind === 'admitted' ? admission.image.contentDigest : null;
    };
    const image = { layers: [{ tar }] };
    const original = await digestOf(savedImageFiles(image));
    const { files, descriptor } = layoutBlobs({ layers: [{ tar, packed: gzipSync(tar) }] });
    expect(await digestOf(layoutFiles(files, [descriptor]))).toBe(original);
    expect(await digestOf(savedImageFiles({ ...image, tags: ['other:2'] }), gzipSync)).toBe(original);
    const environment = { Cmd: ['/serve'], Env: ['BEAMS=2'] };
    expect(await digestOf(savedImageFiles({ ...image, config: environment }))).not.toBe(original);
    const more = await tarOf([{ ...serve, content: '#!/bin/sh\nexit\n' }]);
    expect(await digestOf(savedImageFiles({ layers: [{ tar: more }] }))).not.toBe(original);
  });
});

describe('what docker and buildx write', () => {
  it('admits what `docker save` writes', async () => {
    const layer = { tar: await tarOf([serve]) };

    const { admission, entries, config, manifest } = await rebuilt(await tarOf(savedImageFiles({ layers: [layer] })));

    expect(admission).toEqual({
      kind: 'admitted',
      image: {
        architecture: 'amd64',
        entrypoint: [],
        command: ['/serve'],
        environment: [],
        workingDirectory: '',
        port: 8080,
        protocol: null,
        layers: 1,
        unpackedBytes: layer.tar.length,
        unreadable: [],
        contentDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
      },
    });
    expect(manifest).toEqual([
      { Config: expect.any(String), RepoTags: [`assay/model:${digest}`], Layers: [expect.any(String)] },
    ]);
    expect(Object.keys(config)).toEqual(['architecture', 'os', 'config', 'rootfs']);
    expect(entries).toEqual([expect.objectContaining({ name: 'serve', mode: 0o755, content: '#!/bin/sh\n' })]);
  });

  it.each([
    ['plain', (tar: Buffer) => tar],
    ['gzip', gzipSync],
    ['zstd', zstdCompressSync],
    ['zstd in several frames', (tar: Buffer) => zstdFrames(tar)],
  ])('admits an OCI layout with %s layers', async (_, packed) => {
    const tar = await tarOf([serve, { name: 'weights', content: Buffer.alloc(300_000, 7) }]);
    const { files, descriptor } = layoutBlobs({ layers: [{ tar, packed: packed(tar) }] });

    const { admission, entries } = await rebuilt(await tarOf(layoutFiles(files, [descriptor])));

    expect(admission).toMatchObject({ kind: 'admitted', image: { layers: 1, unpackedBytes: tar.length } });
    expect(entries.map(({ name }) => name)).toEqual(['serve', 'weights']);
  });

  it('admits an OCI image layout in which one image has 500 names', async () => {
    const tags = Array.from({ length: 500 }, (_, index) => `model:${index}`);
    const { files, tagged } = layoutBlobs({ layers: [{ tar: await tarOf([serve]) }], tags });

    const { admission, manifest } = await rebuilt(await tarOf(layoutFiles(files, tagged)));

    expect(admission).toMatchObject({ kind: 'admitted' });
    expect(manifest).toEqual([expect.objectContaining({ RepoTags: [`assay/model:${digest}`] })]);
  });

  it('admits what `docker save` writes since Docker 25, which is both layouts at once', async () => {
    const image: ImageParts = { layers: [{ tar: await tarOf([serve]) }] };
    const { files, descriptor } = layoutBlobs(image);
    const [config, , layer] = files;
    const manifest = [{ Config: config!.name, RepoTags: ['m:1'], Layers: [layer!.name], LayerSources: {} }];

    const archive = await tarOf([
      ...layoutFiles(files, [descriptor]),
      { name: 'manifest.json', content: JSON.stringify(manifest) },
    ]);

    expect((await rebuilt(archive)).admission.kind).toBe('admitted');
  });

  it('takes the linux/amd64 image of an index, and skips attestations', async () => {
    const amd64 = layoutBlobs({ layers: [{ tar: await tarOf([serve]) }] });
    const arm64 = layoutBlobs({ layers: [{ tar: await tarOf([{ name: 'arm' }]) }], architecture: 'arm64' });
    const attestation = layoutBlobs({ layers: [{ tar: await tarOf([]), mediaType: 'application/vnd.in-toto+json' }] });
    const index = JSON.stringify({
      manifests: [
        arm64.descriptor,
        amd64.descriptor,
        {
          ...attestation.descriptor,
          platform: { os: 'unknown', architecture: 'unknown' },
          annotations: { 'vnd.docker.reference.type': 'attestation-manifest' },
        },
      ],
    });
    const archive = await tarOf(
      layoutFiles(
        [
          ...amd64.files,
          ...arm64.files,
          ...attestation.files,
          { name: `blobs/sha256/${sha256(index)}`, content: index },
        ],
        [{ mediaType: 'application/vnd.oci.image.index.v1+json', digest: `sha256:${sha256(index)}` }],
      ),
    );

    const { entries } = await rebuilt(archive);

    expect(entries.map(({ name }) => name)).toEqual(['serve']);
  });

  it('admits an archive that is itself compressed', async () => {
    const archive = await tarOf(savedImageFiles({ layers: [{ tar: await tarOf([serve]) }] }));

    expect((await rebuilt(gzipSync(archive))).admission.kind).toBe('admitted');
    expect((await rebuilt(zstdCompressSync(archive))).admission.kind).toBe('admitted');
  });

  it('follows the links by which older archives share a layer', async () => {
    const tar = await tarOf([serve]);
    const files = savedImageFiles({ layers: [{ tar }, { tar }] });
    const [, first, , second, ...rest] = files;
    const link = { name: second!.name, type: 'symlink' as const, linkname: `../${first!.name}` };

    const { admission } = await rebuilt(await tarOf([link, first!, ...rest]));

    expect(admission).toMatchObject({ kind: 'admitted', image: { layers: 2 } });
  });

  it('writes the same archive for the same image, whatever its packing', async () => {
    const tar = await tarOf([serve]);
    const { files, descriptor } = layoutBlobs({ layers: [{ tar, packed: gzipSync(tar) }] });

    const saved = await rebuilt(await tarOf(savedImageFiles({ layers: [{ tar }] })));
    const layout = await rebuilt(await tarOf(layoutFiles(files, [descriptor])));

    expect(layout.bytes.equals(saved.bytes)).toBe(true);
  });
});

describe('the configuration', () => {
  it('keeps Entrypoint, Cmd, Env and WorkingDir, reads the port and the protocol, and drops the rest', async () => {
    const { admission, config } = await rebuiltWith([serve], {
      Entrypoint: ['/serve'],
      Cmd: ['--fast'],
      Env: ['A=b', 'nonsense'],
      WorkingDir: '/app/',
      ExposedPorts: { '9000/tcp': {}, '53/udp': {} },
      Labels: { 'assay.protocol': 'invocations', other: 'x' },
      Volumes: { '/data': {} },
      Healthcheck: { Test: ['CMD', 'true'] },
      OnBuild: ['RUN true'],
      User: 'root',
      Shell: ['/bin/sh'],
    });

    expect(config.config).toEqual({ Entrypoint: ['/serve'], Cmd: ['--fast'], Env: ['A=b'], WorkingDir: '/app/' });
    expect(admission).toMatchObject({ image: { port: 9000, protocol: 'invocations', workingDirectory: '/app/' } });
  });

  it('takes 8080 where more than one port is exposed', async () => {
    const { admission } = await rebuiltWith([serve], {
      Cmd: ['/serve'],
      ExposedPorts: { '9000/tcp': {}, '9001/tcp': {} },
    });

    expect(admission).toMatchObject({ image: { port: 8080 } });
  });

  it('refuses an image that starts nothing, unless the submission gives a command', async () => {
    expect(await refusalWith([serve], {})).toMatchObject({ message: expect.stringContaining('Set one of them') });

    const { admission } = await rebuiltWith([serve], {}, { command: ['/serve'] });

    expect(admission).toMatchObject({ kind: 'admitted', image: { command: [] } });
  });

  it.each([
    ['app', 'absolute path'],
    ['/proc/self/fd/7', 'under /proc'],
    ['/app/../proc/self', 'under /proc'],
    ['/dev', 'under /dev'],
    ['/dev/fd/7', 'under /dev'],
    ['//dev/./shm/', 'under /dev'],
    ['/tmp/../dev', 'under /dev'],
    ['/sys/fs/cgroup', 'under /sys'],
    ['/tmp/../../sys', 'under /sys'],
  ])('refuses the working directory %s', async (WorkingDir, why) => {
    expect(await refusalWith([serve], { Cmd: ['/serve'], WorkingDir })).toMatchObject({
      code: 'image_refused',
      message: expect.stringMatching(new RegExp(`^WORKDIR is .*${why}`)),
    });
  });

  it.each(['/devices', '/system', '/process'])('takes the working directory %s', async (WorkingDir) => {
    expect((await rebuiltWith([serve], { Cmd: ['/serve'], WorkingDir })).admission.kind).toBe('admitted');
  });

  it('refuses a working directory that leads to /proc, /dev or /sys through symlinks', async () => {
    const links: Entry[] = [
      { name: 'r', type: 'symlink', linkname: 'x/..' },
      { name: 'x', type: 'symlink', linkname: '/etc' },
    ];

    for (const folder of ['/proc', '/dev', '/sys']) {
      expect(await refusalWith(links, { Cmd: ['/serve'], WorkingDir: `/r${folder}/self/fd/7` })).toMatchObject({
        message: expect.stringContaining(`leads through symlinks to ${folder}`),
      });
    }
    expect((await rebuiltWith(links, { Cmd: ['/serve'], WorkingDir: '/r/app' })).admission.kind).toBe('admitted');
  });
});

describe('what is untidy but harmless', () => {
  it('is written with clean names; devices and pipes are left out; symlinks stay', async () => {
    const { entries } = await rebuiltWith([
      { name: './', type: 'directory', mode: 0o755 },
      { name: '/abs', content: 'a' },
      { name: './dot//twice', content: 'b' },
      { name: 'dev/null', type: 'character-device', devmajor: 1, devminor: 3 },
      { name: 'dev/sda', type: 'block-device', devmajor: 8 },
      { name: 'pipe', type: 'fifo' },
      { name: 'etc/mtab', type: 'symlink', linkname: '../../../../proc/mounts' },
      { name: 'gone/.wh.file' },
      { name: 'gone/.wh..wh..opq' },
      { name: '.wh..wh.plnk/1.2', content: 'aufs' },
    ]);

    expect(entries.map(({ name, linkname }) => [name, linkname])).toEqual([
      ['./', null],
      ['abs', null],
      ['dot/twice', null],
      ['etc/mtab', '../../../../proc/mounts'],
      ['gone/.wh.file', null],
      ['gone/.wh..wh..opq', null],
    ]);
  });

  it('keeps the later of two entries of one name, as docker loads no layer with both', async () => {
    const { entries, admission } = await rebuiltWith([
      { name: 'd/', type: 'directory', mode: 0o700 },
      { name: 'd/a', content: 'first' },
      { name: 's', type: 'symlink', linkname: 'd' },
      { name: 's/b', content: 'through the link' },
      { name: 'null', content: 'x' },
      { name: './d/a', content: 'second' },
      { name: 'd', type: 'directory', mode: 0o755 },
      { name: 's/', type: 'directory' },
      { name: 'null', type: 'character-device' },
    ]);

    expect(entries.map(({ name, content }) => [name, content])).toEqual([
      ['d/b', 'through the link'],
      ['d/a', 'second'],
      ['d/', ''],
      ['s/', ''],
    ]);
    expect(admission).toMatchObject({ image: { unpackedBytes: 7680 } });
  });

  it('writes what lies behind a symlink of the layer under its real name', async () => {
    const { entries } = await rebuiltWith([
      { name: 'usr/lib/x', content: '1' },
      { name: 'lib', type: 'symlink', linkname: '../../usr/lib' },
      { name: 'lib/y', content: '2' },
      { name: 'z', type: 'link', linkname: 'lib/y' },
    ]);

    expect(entries.slice(2).map(({ name, linkname }) => [name, linkname])).toEqual([
      ['usr/lib/y', null],
      ['z', 'usr/lib/y'],
    ]);
  });

  it('keeps long and foreign names, modes, owners and times', async () => {
    const name = `${'folder/'.repeat(30)}naïve-模型.bin`;
    const mtime = new Date('2024-05-06T07:08:09Z');
    const { entries } = await rebuiltWith([
      { name, content: 'x', mode: 0o4751, uid: 1000, gid: 100, mtime },
      { name: 'link', type: 'link', linkname: name },
      { name: 'large', content: 'x', uid: 0, pax: { uid: '65535' } },
      { name: 'too-large', content: 'x', uid: 0, gid: 1_000_660_000, pax: { uid: '3000000' } },
    ]);

    expect(entries[0]).toMatchObject({ name, mode: 0o4751, uid: 1000, gid: 100, mtime });
    expect(entries[1]).toMatchObject({ type: 'link', linkname: name });
    expect(entries[2]).toMatchObject({ uid: 65_535 });
    // an engine that remaps users has no user for these
    expect(entries[3]).toMatchObject({ uid: 65_534, gid: 65_534 });
  });
});

describe('what is refused in a layer', () => {
  it.each<[string, Entry[], string]>([
    ['`..` in a name', [{ name: 'a/../../etc/passwd' }], 'contains `..`'],
    ['a hard link out of the image', [{ name: 'h', type: 'link', linkname: '../../etc/shadow' }], 'contains `..`'],
    [
      'a hard link to nothing',
      [{ name: 'h', type: 'link', linkname: '/etc/shadow' }],
      'not a regular file of the same layer',
    ],
    ['a hard link to itself', [serve, { name: 'serve', type: 'link', linkname: 'serve' }], 'not a regular file'],
    [
      'a hard link to a symlink',
      [
        { name: 's', type: 'symlink', linkname: 'serve' },
        { name: 'h', type: 'link', linkname: 's' },
      ],
      '"h" is a hard link to "s"',
    ],
    ['a file within a file', [serve, { name: 'serve/x' }], '"serve/x" is inside "serve", which is a file'],
    [
      'a name behind symlinks in a circle',
      [
        { name: 'a', type: 'symlink', linkname: 'b' },
        { name: 'b', type: 'symlink', linkname: 'a' },
        { name: 'a/x', content: 'x' },
      ],
      'is behind a loop of symlinks',
    ],
    ['a whiteout of `..`', [{ name: 'a/.wh...' }], 'a whiteout without a name'],
    ['a whiteout of what is in its layer', [serve, { name: '.wh.serve' }], 'which is in the same layer'],
    ['a folder that becomes a file', [{ name: 'd/', type: 'directory' }, { name: 'd' }], 'is a folder and later'],
    ['a file where others lie within', [{ name: 'd/x' }, { name: 'd' }], 'is a folder and later something else'],
    ['a file within what its layer hides', [{ name: '.wh.d' }, { name: 'd/x' }], 'which its layer hides'],
    [
      'a file that is replaced after it was linked',
      [serve, { name: 'h', type: 'link', linkname: 'serve' }, serve],
      'a hard link refers to the first',
    ],
    ['a file within a whiteout', [{ name: '.wh.a/b' }], 'is inside a whiteout'],
    ['a symlink to nowhere', [{ name: 's', type: 'symlink', linkname: '' }], 'no valid target'],
    ['a name with a NUL', [{ name: 'x', pax: { path: 'a\0b' } }], 'contains a NUL'],
    ['a part of a name over 255 bytes', [{ name: 'a'.repeat(256) }], 'a part of more than 255 bytes'],
    ['a name over 4096 bytes', [{ name: 'abc/'.repeat(1100) + 'd' }], 'more than 4096 bytes'],
    ['a sparse file', [{ name: 'x', pax: { 'GNU.sparse.major': '1' } }], 'is a sparse file'],
  ])('%s', async (_, entries, message) => {
    expect(await refusalWith(entries)).toEqual({
      kind: 'refused',
      code: 'image_refused',
      message: expect.stringMatching(/^Layer 1 of 1 \(.*layer\.tar\): /),
    });
    expect((await refusalWith(entries)).message).toContain(message);
  });

  it('an entry of an unknown kind', async () => {
    expect(
      await refusalOfLayer(withHeader(await tarOf([serve]), (block) => (block[156] = 'S'.charCodeAt(0)))),
    ).toMatchObject({
      code: 'image_refused',
      message: expect.stringContaining('is not a file'),
    });
  });

  it.each<[string, (block: Buffer) => void]>([
    ['of no number', (block) => void block.write('\xc1'.repeat(12), 124, 'latin1')],
    ['below zero', (block) => void block.write('\xff'.repeat(12), 124, 'latin1')],
    ['beyond all bounds', (block) => void block.write('\x80' + '\x7f'.repeat(11), 124, 'latin1')],
  ])('a size %s', async (_, change) => {
    expect(await refusalOfLayer(withHeader(await tarOf([serve]), change))).toMatchObject({ code: 'image_refused' });
  });

  it('content where there can be none', async () => {
    const tar = withHeader(await tarOf([serve]), (block) => (block[156] = '2'.charCodeAt(0)));

    expect((await refusalOfLayer(tar)).message).toContain('bytes of content but is not a file');
  });

  it('a digest that differs from what the configuration says', async () => {
    const tar = await tarOf([serve]);
    const diffIds = [`sha256:${'0'.repeat(64)}`];

    expect(await refusal(await tarOf(savedImageFiles({ layers: [{ tar }], diffIds })))).toEqual({
      kind: 'refused',
      code: 'image_refused',
      message: expect.stringContaining(`Its digest is sha256:${sha256(tar)}, but the configuration`),
    });
  });

  it('what is no tar, or ends early', async () => {
    const tar = await tarOf([serve]);

    expect((await refusalOfLayer(Buffer.from('x'.repeat(2000)))).message).toContain('It is not a valid tar');
    expect((await refusalOfLayer(tar.subarray(0, 515))).message).toContain('It is not a valid tar');
    expect(await refusalOfLayer(tar, gzipSync(tar).subarray(0, 60))).toMatchObject({
      code: 'archive_truncated',
      message: expect.stringContaining('compressed data ends early'),
    });
    expect((await refusalOfLayer(tar, Buffer.from('BZh91AY&SY'))).message).toContain('bzip2');
  });

  it('more than it may unpack to, while it streams', async () => {
    const bomb = await tarOf([{ name: 'zeros', content: Buffer.alloc(8_000_000) }]);
    const archive = await tarOf(savedImageFiles({ layers: [{ tar: bomb, packed: gzipSync(bomb) }] }));

    expect(await refusal(archive, { maxUnpackedBytes: 1_000_000 })).toEqual({
      kind: 'refused',
      code: 'unpacked_too_large',
      message: expect.stringContaining('the limit is 1000000 bytes'),
    });
  });
});

describe('what is refused in an archive', () => {
  it('no tar at all', async () => {
    for (const bytes of [Buffer.from(''), Buffer.from('hello'), Buffer.alloc(2048, 65), Buffer.alloc(2048)]) {
      expect(await refusal(bytes)).toMatchObject({ code: 'not_an_image' });
    }
  });

  it('a tar that is no image', async () => {
    expect(await refusal(await tarOf([{ name: 'etc/passwd', content: 'x' }]))).toEqual({
      kind: 'refused',
      code: 'not_an_image',
      message: expect.stringContaining('neither a manifest.json nor an index.json; it starts with "etc/passwd"'),
    });
  });

  it('a truncated one, with where it ends', async () => {
    const archive = await tarOf(savedImageFiles({ layers: [{ tar: await tarOf([serve]) }] }));

    expect(await refusal(archive.subarray(0, 1500))).toMatchObject({
      code: 'archive_truncated',
      message: expect.stringContaining('The archive ends at byte 1500, within'),
    });
    expect(await refusal(archive.subarray(0, 3072))).toMatchObject({ code: 'archive_truncated' });
    expect(await refusal(gzipSync(archive).subarray(0, 200))).toMatchObject({ code: 'archive_truncated' });
  });

  it('another architecture, with how to build for this one', async () => {
    const image = { layers: [{ tar: await tarOf([serve]) }], architecture: 'arm64' };
    const { files, descriptor } = layoutBlobs(image);

    for (const entries of [savedImageFiles(image), layoutFiles(files, [descriptor])]) {
      expect(await refusal(await tarOf(entries))).toEqual({
        kind: 'refused',
        code: 'wrong_architecture',
        message: expect.stringMatching(/linux\/arm64.*docker buildx build --platform linux\/amd64/),
      });
    }
  });

  it('several images', async () => {
    const [a, b] = [await tarOf([serve]), await tarOf([])].map((tar) => layoutBlobs({ layers: [{ tar }] }));

    expect(
      await refusal(await tarOf(layoutFiles([...a!.files, ...b!.files], [a!.descriptor, b!.descriptor]))),
    ).toMatchObject({
      message: expect.stringContaining('has 2 images'),
    });
  });

  it.each([
    ['a layer kept elsewhere', { urls: ['https://example.org/layer'] }, 'stored outside the archive'],
    ['a foreign layer', { mediaType: 'application/vnd.docker.image.rootfs.foreign.diff.tar.gzip' }, 'foreign'],
    ['a media type of no layer', { mediaType: 'application/vnd.in-toto+json' }, 'which is not a type of layer'],
  ])('%s', async (_, layer, message) => {
    const { files, descriptor } = layoutBlobs({ layers: [{ tar: await tarOf([serve]), ...layer }] });

    expect(await refusal(await tarOf(layoutFiles(files, [descriptor])))).toEqual({
      kind: 'refused',
      code: 'image_refused',
      message: expect.stringContaining(message),
    });
  });

  it('more than 127 layers', async () => {
    const tar = await tarOf([]);

    expect(
      await refusal(await tarOf(savedImageFiles({ layers: Array.from({ length: 128 }, () => ({ tar })) }))),
    ).toMatchObject({
      message: expect.stringContaining('128 layers; the limit is 127'),
    });
  });

  it('a configuration or manifest over 1 MiB', async () => {
    const layers = [{ tar: await tarOf([serve]) }];
    const config = { Cmd: ['/serve'], Env: ['A='.padEnd(1_100_000, 'x')] };
    const manifest = { name: 'manifest.json', content: JSON.stringify([{ Config: 'x'.repeat(1_100_000) }]) };

    expect((await refusal(await tarOf(savedImageFiles({ layers, config })))).message).toMatch(/has 11\d{5} bytes/);
    expect((await refusal(await tarOf([manifest]))).message).toMatch(/manifest\.json.*has 11\d{5} bytes/);
  });

  it('a manifest that is not what its digest says, or nothing sensible', async () => {
    const { files, descriptor } = layoutBlobs({ layers: [{ tar: await tarOf([serve]) }] });
    const altered = files.map((file, index) => (index === 1 ? { ...file, content: '{}' } : file));

    expect((await refusal(await tarOf(layoutFiles(altered, [descriptor])))).message).toContain(
      'the digest that its name states',
    );
    expect((await refusal(await tarOf([{ name: 'manifest.json', content: '{"a":1}' }]))).code).toBe('not_an_image');
    expect((await refusal(await tarOf([{ name: 'manifest.json', content: '[' }]))).message).toContain('is not JSON');
    expect((await refusal(await tarOf([{ name: 'manifest.json', content: '[]' }]))).code).toBe('not_an_image');
  });

  it('a layer or configuration that is missing, or of which there are not as many as digests', async () => {
    const layers = [{ tar: await tarOf([serve]) }];
    const files = savedImageFiles({ layers });

    expect((await refusal(await tarOf(files.slice(2)))).message).toMatch(
      /needs ".*layer.tar", which is not in the archive/,
    );
    expect((await refusal(await tarOf(savedImageFiles({ layers, diffIds: [] })))).message).toContain(
      'has 1 layers, but',
    );
    expect((await refusal(await tarOf(savedImageFiles({ layers: [] })))).message).toContain('no layers');
  });
});

describe('what uid 65534 cannot read', () => {
  it('is named where the model needs it, and forgotten where a layer above mends it', async () => {
    const config = { Entrypoint: ['/opt/run.sh'], Cmd: ['/data/w.bin'], WorkingDir: '/root/app' };
    const below = await tarOf([
      { name: 'root/', type: 'directory', mode: 0o700 },
      { name: 'root/app/', type: 'directory', mode: 0o755 },
      { name: 'root/app/a.py', mode: 0o600, content: 'a' },
      { name: 'root/app/mended.py', mode: 0o600, content: 'a' },
      { name: 'root/app/own.py', mode: 0o400, uid: 65534, content: 'a' },
      { name: 'opt/run.sh', mode: 0o644, content: 'a' },
      { name: 'data/w.bin', mode: 0o640, content: 'a' },
      { name: 'etc/shadow', mode: 0o600, content: 'a' },
    ]);
    const above = await tarOf([{ name: 'root/app/mended.py', mode: 0o644, content: 'a' }, { name: 'data/.wh.w.bin' }]);

    const { admission } = await rebuilt(
      await tarOf(savedImageFiles({ layers: [{ tar: below }, { tar: above }], config })),
    );

    expect(admission).toMatchObject({ image: { unreadable: ['/root', '/root/app/a.py', '/opt/run.sh'] } });
  });
});

describe('the platform', () => {
  it('receives an exception for its own faults, and for being aborted', async () => {
    const archive = await tarOf(savedImageFiles({ layers: [{ tar: await tarOf([serve]) }] }));
    const source = join(folder, 'in.tar');
    await writeFile(source, archive);
    const options = { digest, maxUnpackedBytes: 1e9, workDirectory: folder };

    await expect(rebuildImageArchive(join(folder, 'none'), join(folder, 'out'), options)).rejects.toThrow('ENOENT');
    await expect(rebuildImageArchive(source, join(folder, 'no', 'out'), options)).rejects.toThrow('ENOENT');
    const signal = AbortSignal.abort();
    await expect(rebuildImageArchive(source, join(folder, 'out'), { ...options, signal })).rejects.toThrow('abort');
    expect(await readdir(folder)).toEqual(['in.tar']);
  });
});

interface Rebuilt {
  readonly admission: ImageAdmission;
  readonly bytes: Buffer;
  readonly manifest: unknown;
  readonly config: { readonly config: unknown };
  /** The entries of the lowest layer. */
  readonly entries: (Header & { content: string })[];
}

async function admit(archive: Buffer, options: Partial<RebuildOptions> = {}): Promise<ImageAdmission> {
  await writeFile(join(folder, 'in.tar'), archive);
  return rebuildImageArchive(join(folder, 'in.tar'), join(folder, 'out.tar'), {
    digest,
    maxUnpackedBytes: 1e9,
    workDirectory: folder,
    ...options,
  });
}

async function rebuilt(archive: Buffer, options: Partial<RebuildOptions> = {}): Promise<Rebuilt> {
  const admission = await admit(archive, options);
  if (admission.kind === 'refused') throw new Error(`Refused: ${admission.message}`);

  const bytes = await readFile(join(folder, 'out.tar'));
  const files = await entriesOf(bytes);
  const text = (name: string): string => files.find((file) => file.name === name)!.content;
  const manifest = JSON.parse(text('manifest.json'));
  const config = JSON.parse(text(manifest[0].Config));
  expect(config.rootfs.diff_ids).toEqual(
    manifest[0].Layers.map((layer: string) => `sha256:${sha256(Buffer.from(text(layer), 'latin1'))}`),
  );
  const entries = await entriesOf(Buffer.from(text(manifest[0].Layers[0]), 'latin1'));
  return { admission, bytes, manifest, config, entries };
}

async function rebuiltWith(
  entries: Entry[],
  config?: Record<string, unknown>,
  options?: Partial<RebuildOptions>,
): Promise<Rebuilt> {
  const layers = [{ tar: await tarOf(entries) }];
  return rebuilt(await tarOf(savedImageFiles({ layers, ...(config && { config }) })), options);
}

type Refused = Extract<ImageAdmission, { kind: 'refused' }>;

async function refusal(archive: Buffer, options: Partial<RebuildOptions> = {}): Promise<Refused> {
  const admission = await admit(archive, options);
  if (admission.kind === 'admitted') throw new Error('Admitted');
  expect(await readdir(folder)).toEqual(['in.tar']);
  return admission;
}

async function refusalWith(entries: Entry[], config?: Record<string, unknown>): Promise<Refused> {
  const layers = [{ tar: await tarOf(entries) }];
  return refusal(await tarOf(savedImageFiles({ layers, ...(config && { config }) })));
}

async function refusalOfLayer(tar: Buffer, packed: Buffer = tar): Promise<Refused> {
  return refusal(await tarOf(savedImageFiles({ layers: [{ tar, packed }] })));
}

/** Changes the first header of `tar`, with a checksum that fits. */
function withHeader(tar: Buffer, change: (block: Buffer) => void): Buffer {
  const block = Buffer.from(tar.subarray(0, 512));
  change(block);
  block.fill(' ', 148, 156);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([block, tar.subarray(512)]);
}

function zstdFrames(tar: Buffer): Buffer {
  const skipped = Buffer.from('502a4d1804000000abcdabcd', 'hex');
  const frames = Array.from({ length: Math.ceil(tar.length / 1000) }, (_, index) =>
    zstdCompressSync(tar.subarray(index * 1000, (index + 1) * 1000)),
  );
  return Buffer.concat([skipped, ...frames, skipped]);
}

/** Contents as latin1, which keeps every byte. */
async function entriesOf(tar: Buffer): Promise<(Header & { content: string })[]> {
  const reader = extract();
  reader.end(tar);
  const entries: (Header & { content: string })[] = [];
  for await (const entry of reader) {
    const parts: Buffer[] = [];
    for await (const part of entry) parts.push(part as Buffer);
    const { pax } = entry.header;
    const uid = Number((pax as Record<string, string> | null)?.['uid'] ?? entry.header.uid);
    entries.push({ ...entry.header, uid, content: Buffer.concat(parts).toString('latin1') });
  }
  return entries;
}
