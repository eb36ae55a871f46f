import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cachedPages, evictPages } from './page-cache.js';

const PAGES = 64;

describe('the page cache', () => {
  let folder: string;
  beforeEach(async () => {
    // not in the folder of temporary files, which may be memory: that has no pages to evict
    folder = await mkdtemp(join(import.meta.dirname, '.page-cache-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it('holds nothing of files that were evicted, whether or not they were on the disk', async () => {
    const deep = join(folder, 'a', 'b');
    await mkdir(deep, { recursive: true });
    for (const path of [join(folder, 'one'), join(deep, 'two')]) await writeFile(path, Buffer.alloc(PAGES * 4096, 1));
    await writeFile(join(folder, 'empty'), '');
    await symlink('/etc/passwd', join(folder, 'link'));
    expect(await cachedPages([folder])).toEqual({ files: 3, pages: 2 * PAGES, failed: 0 });

    expect(await evictPages([folder])).toEqual({ files: 3, pages: 0, failed: 0 });

    expect((await cachedPages([folder])).pages).toBe(0);
    await readFile(join(deep, 'two'));
    expect((await cachedPages([folder])).pages).toBe(PAGES);
  });

  it('holds nothing of any folder, of hidden files, and of files of several MiB', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    const large = 1024;
    for (const layer of [one, two]) {
      await mkdir(join(layer, '.hidden'), { recursive: true });
      await writeFile(join(layer, '.hidden', '.file'), Buffer.alloc(PAGES * 4096, 1));
      await writeFile(join(layer, 'large'), Buffer.alloc(large * 4096, 1));
    }
    expect(await cachedPages([one, two])).toEqual({ files: 4, pages: 2 * (PAGES + large), failed: 0 });

    expect(await evictPages([one, two])).toEqual({ files: 4, pages: 0, failed: 0 });

    expect((await cachedPages([one, two])).pages).toBe(0);
  });

  it('cannot be reached through a folder that is not there', async () => {
    await expect(evictPages([join(folder, 'nothing')])).rejects.toThrow('No such file');
  });
});
