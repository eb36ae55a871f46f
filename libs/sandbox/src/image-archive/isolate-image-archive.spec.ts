import { mkdtemp, open, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { savedImageFiles, tarOf } from '../../../../test/factories/models/submitted-images.js';
import { readImageManifest } from './image-manifest.js';
import { isolateImageArchive } from './isolate-image-archive.js';
import { rebuildImageArchive } from './rebuild-image-archive.js';
import { indexTar, readRange } from './tar-index.js';

const DIGEST = 'd'.repeat(64);

describe('an isolated archive', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-isolated-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function rebuilt(): Promise<string> {
    const layers = [
      { tar: await tarOf([{ name: 'serve', mode: 0o755, content: '#!/bin/sh\n' }]) },
      { tar: await tarOf([{ name: 'weights', content: 'w'.repeat(5000) }]) },
    ];
    const config = { Entrypoint: ['/serve'], Cmd: ['--fast'], Env: ['A=b'], WorkingDir: '/app' };
    await writeFile(join(folder, 'submitted.tar'), await tarOf(savedImageFiles({ layers, config })));
    const path = join(folder, 'rebuilt.tar');
    const limits = { digest: 'e'.repeat(64), maxUnpackedBytes: 1e6, workDirectory: folder };
    expect((await rebuildImageArchive(join(folder, 'submitted.tar'), path, limits)).kind).toBe('admitted');
    return path;
  }

  async function read(path: string) {
    const file = await open(path, 'r');
    try {
      const index = await indexTar(file);
      const { config, layers } = await readImageManifest(file, index);
      const contents = await Promise.all(layers.map((layer) => readRange(file, layer)));
      const manifest = await readRange(file, index.files.get('manifest.json')!);
      return {
        config: JSON.parse(config.toString()) as { config: object; rootfs: { diff_ids: string[] } },
        contents,
        tags: (JSON.parse(manifest.toString()) as { RepoTags: string[] }[])[0]!.RepoTags,
      };
    } finally {
      await file.close();
    }
  }

  it('is the same image above a lowest layer that no other image has', async () => {
    const source = await rebuilt();
    const before = await read(source);

    const isolated = [];
    for (const name of ['one.tar', 'two.tar']) {
      await isolateImageArchive(source, join(folder, name), DIGEST);
      isolated.push(await read(join(folder, name)));
    }

    const [one, two] = isolated as [(typeof isolated)[0], (typeof isolated)[0]];
    expect(one.tags).toEqual([`assay/model:${DIGEST}`]);
    expect(one.config.config).toEqual(before.config.config);
    expect(one.config.rootfs.diff_ids.slice(1)).toEqual(before.config.rootfs.diff_ids);
    expect(one.contents.slice(1)).toEqual(before.contents);
    expect(one.config.rootfs.diff_ids[0]).not.toBe(two.config.rootfs.diff_ids[0]);
    expect(one.contents[0]!.length).toBe(5 * 512);
  });

  it('leaves nothing where the source is no archive', async () => {
    await writeFile(join(folder, 'none.tar'), Buffer.alloc(1024));

    await expect(isolateImageArchive(join(folder, 'none.tar'), join(folder, 'out.tar'), DIGEST)).rejects.toThrow();

    expect(await readdir(folder)).toEqual(['none.tar']);
  });
});
