import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { DockerArchiveWriter, rebuildImageArchive } from '@assay/sandbox';
import { DockerEngine } from '@assay/sandbox/docker';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { extract } from 'tar-stream';

import { type Entry, type ImageParts, savedImageFiles, tarOf } from '../factories/models/submitted-images.js';

const serve: Entry = { name: 'serve', mode: 0o755, content: '#!/bin/sh\n' };

describe('a rebuilt image, loaded by a Docker engine', () => {
  const engine = new DockerEngine();
  const loaded = new Set<string>();
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-image-'));
  });
  afterAll(async () => {
    for (const tag of loaded) await engine.removeImage(tag);
    await rm(folder, { recursive: true });
  });

  it('has our tag alone, and of its configuration what we keep', async () => {
    const config = {
      Entrypoint: ['/serve'],
      Cmd: ['--fast'],
      Env: ['A=b'],
      WorkingDir: '/app',
      ExposedPorts: { '9000/tcp': {} },
      Volumes: { '/data': {} },
      Healthcheck: { Test: ['CMD', 'true'] },
      OnBuild: ['RUN true'],
      User: 'root',
      Labels: { a: 'b' },
    };
    const tag = await install({ layers: [{ tar: await tarOf([serve]) }], config, tags: ['assay-e2e/other:1'] });

    const image = await engine.image(tag);
    expect(image).toMatchObject({ RepoTags: [tag], Architecture: 'amd64', Os: 'linux' });
    expect(image!.Config).toMatchObject({ Entrypoint: ['/serve'], Cmd: ['--fast'], Env: ['A=b'], WorkingDir: '/app' });
    expect(image!.Config).toMatchObject({ Volumes: null, User: '', Labels: null, OnBuild: null });
    expect(image!.Config.ExposedPorts).toBeUndefined();
    expect(image!.Config.Healthcheck).toBeUndefined();
    expect(await engine.image('assay-e2e/other:1')).toBeNull();
  });

  it("can't take the tag of an image of the platform", async () => {
    const platform = 'assay-e2e/relay:1';
    const writer = await DockerArchiveWriter.create(join(folder, 'platform.tar'));
    await writer.addLayer([await tarOf([{ name: 'relay', content: 'ours' }])]);
    const id = await writer.finish(platform, { Entrypoint: ['/relay'], Cmd: [], Env: [], WorkingDir: '' });
    await load(join(folder, 'platform.tar'), platform);

    await install({ layers: [{ tar: await tarOf([serve]) }], tags: [platform] });

    expect(await engine.image(platform)).toMatchObject({ Id: id, RepoTags: [platform] });
  });

  it('has the files of all its layers, the untidy ones as well', async () => {
    const long = `${'folder/'.repeat(30)}naïve-模型.bin`;
    const below = await tarOf([
      { name: './', type: 'directory', mode: 0o755 },
      { name: '/abs', content: 'absolute' },
      { name: 'twice', content: 'first' },
      { name: 'twice', content: 'second' },
      { name: 'usr/lib/x', content: 'x' },
      { name: 'lib', type: 'symlink', linkname: 'usr/lib' },
      { name: 'lib/y', content: 'y' },
      { name: 'hard', type: 'link', linkname: '/lib/y' },
      { name: 'dangling', type: 'symlink', linkname: '/none' },
      { name: 'dangling/z', content: 'z' },
      { name: 'dev/sda', type: 'block-device', devmajor: 8 },
      { name: long, content: 'long', mode: 0o640, uid: 1000 },
      { name: 'hidden', content: 'h' },
      { name: 'opaque/hidden', content: 'h' },
      { name: 'owner', content: 'o', pax: { uid: '3000000' } },
    ]);
    const above = await tarOf([
      { name: '.wh.hidden' },
      { name: '.wh.hidden' },
      { name: 'opaque/.wh..wh..opq' },
      { name: '.wh.twice' },
      { name: 'twice', content: 'third' },
      { name: 'added', content: 'a' },
    ]);
    const layers = [{ tar: below }, { tar: above, packed: gzipSync(above) }, { tar: above }];
    const tag = await install({ layers });

    expect(await filesOf(tag)).toEqual({
      abs: 'absolute',
      twice: 'third',
      'usr/lib/x': 'x',
      // two names of one file: whichever comes second is shown as a link
      'usr/lib/y': expect.stringMatching(/^(y|→ hard)$/),
      hard: expect.stringMatching(/^(y|→ usr\/lib\/y)$/),
      lib: '→ usr/lib',
      dangling: '→ /none',
      'none/z': 'z',
      [long]: 'long',
      owner: 'o',
      added: 'a',
    });
  });

  async function install(image: ImageParts): Promise<string> {
    const digest = randomBytes(32).toString('hex');
    const [source, destination] = [join(folder, 'submitted.tar'), join(folder, 'rebuilt.tar')];
    await writeFile(source, await tarOf(savedImageFiles(image)));
    const options = { digest, maxUnpackedBytes: 1e9, workDirectory: folder };
    expect(await rebuildImageArchive(source, destination, options)).toMatchObject({ kind: 'admitted' });
    await load(destination, `assay/model:${digest}`);
    return `assay/model:${digest}`;
  }

  async function load(archive: string, tag: string): Promise<void> {
    loaded.add(tag);
    await engine.load(createReadStream(archive), (await stat(archive)).size);
  }

  /**
   * Returns the contents of files and the targets of links by name, without the files that the
   * engine adds.
   */
  async function filesOf(tag: string): Promise<Record<string, string>> {
    const container = await engine.docker.createContainer({ Image: tag, NetworkDisabled: true });
    try {
      const reader = extract();
      (await container.export()).pipe(reader);
      const files: Record<string, string> = {};
      for await (const entry of reader) {
        const parts: Buffer[] = [];
        for await (const part of entry) parts.push(part as Buffer);
        const { name, type, linkname } = entry.header;
        if (type === 'directory' || /^(dev|etc|proc|sys)\/|^\.dockerenv$/.test(name)) continue;
        files[name] = linkname ? `→ ${linkname}` : Buffer.concat(parts).toString();
      }
      return files;
    } finally {
      await container.remove({ force: true, v: true });
    }
  }
});
