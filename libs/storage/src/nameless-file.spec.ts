import { type StatsFs } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { namelessFile } from './nameless-file.js';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

/** A disk with so many bytes, of which so many are free. */
const disk = (size: number, free: number) => () =>
  Promise.resolve({ bsize: MIB, blocks: size / MIB, bavail: free / MIB } as StatsFs);

describe('a file without a name', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-nameless-'));
  });
  afterEach(() => rm(folder, { recursive: true }));

  const full = { kind: 'unavailable', code: 'storage_full' };
  const small = async (write: (bytes: string) => Promise<void>) => write('a little');

  it('gives back what was written, and is in no folder', async () => {
    const { content, bytes } = await namelessFile(folder, async (write) => {
      await write('one ');
      await write(Buffer.from('two'));
      expect(await readdir(folder)).toEqual([]);
    });
    expect([await text(content), bytes]).toEqual(['one two', 7]);
  });

  it.each([
    ['a large disk with less than 1 GiB left', 100 * GIB, GIB - MIB],
    ['a small disk with less than a twentieth left', 100 * MIB, 4 * MIB],
  ])('is not begun on %s', async (_, size, free) => {
    await expect(namelessFile(folder, small, disk(size, free))).rejects.toMatchObject(full);
  });

  it.each([
    ['a large disk with 1 GiB left', 100 * GIB, GIB],
    ['a small disk with a twentieth left', 100 * MIB, 5 * MIB],
  ])('is written on %s', async (_, size, free) => {
    const { content } = await namelessFile(folder, small, disk(size, free));
    expect(await text(content)).toBe('a little');
  });

  it('is given up where the disk fills up as it is written', async () => {
    let free = 2 * GIB;
    let written = 0;
    const filling = namelessFile(
      folder,
      async (write) => {
        for (; written < 64; written++) {
          await write(Buffer.alloc(MIB));
          free -= 40 * MIB;
        }
      },
      () => disk(100 * GIB, free)(),
    );
    await expect(filling).rejects.toMatchObject(full);
    expect(written).toBeLessThan(64);
  });

  it('says of a disk that is full what it is', async () => {
    const filling = namelessFile(folder, () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOSPC' })));
    await expect(filling).rejects.toMatchObject(full);
  });
});
