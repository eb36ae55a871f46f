import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ArtifactCache } from './artifact-cache.js';

const SIZE = 10;

describe('ArtifactCache', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'artifacts-'));
  });

  afterEach(() => rm(folder, { recursive: true }));

  const download = (path: string) => writeFile(path, 'x'.repeat(SIZE));
  const use = (cache: ArtifactCache, digest: string) => cache.use(digest, SIZE, download);
  const files = async () => (await readdir(folder)).sort();

  it('removes the least recently used files that nobody uses', async () => {
    const cache = await ArtifactCache.open(folder, 2 * SIZE);
    const a = await use(cache, 'a');
    const b = await use(cache, 'b');
    b.release();
    b.release();
    a.release();
    (await use(cache, 'a')).release();

    const c = await use(cache, 'c');
    expect(await files()).toEqual(['a', 'c']);

    const again = await use(cache, 'a');
    await use(cache, 'd');
    expect(await files()).toEqual(['a', 'c', 'd']);

    again.release();
    c.release();
    await use(cache, 'e');
    expect(await files()).toEqual(['d', 'e']);
  });

  it('finds its files after a restart, and removes partial ones', async () => {
    await use(await ArtifactCache.open(folder), 'a');
    await writeFile(join(folder, 'b.part'), 'x');

    const cache = await ArtifactCache.open(folder);
    const found = await cache.use('a', SIZE, () => Promise.reject(new Error('is cached')));

    expect(await readFile(found.path, 'utf8')).toBe('x'.repeat(SIZE));
    expect(await files()).toEqual(['a']);
  });

  it('downloads a file again that is gone', async () => {
    const cache = await ArtifactCache.open(folder);
    const { path } = await use(cache, 'a');
    await rm(path);

    expect(await readFile((await use(cache, 'a')).path, 'utf8')).toBe('x'.repeat(SIZE));
  });

  it('lets another caller download when one fails', async () => {
    const cache = await ArtifactCache.open(folder);
    const failing = cache.use('a', SIZE, () => Promise.reject(new Error('cut')));
    const waiting = use(cache, 'a');

    await expect(failing).rejects.toThrow('cut');
    expect(await readFile((await waiting).path, 'utf8')).toBe('x'.repeat(SIZE));
  });
});
