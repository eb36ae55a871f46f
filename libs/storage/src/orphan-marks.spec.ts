import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LocalBlobStore } from './local-blob-store.js';
import { OrphanMarks } from './orphan-marks.js';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

describe('the marks of orphans', () => {
  let root: string;
  let store: LocalBlobStore;
  let marks: OrphanMarks;
  const now = new Date();
  const at = (milliseconds: number): Date => new Date(now.getTime() + milliseconds);

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-marks-'));
    store = new LocalBlobStore(root);
    marks = new OrphanMarks(join(root, 'orphans'), store);
  });
  afterEach(() => rm(root, { recursive: true, force: true }));

  const old = async (text: string): Promise<string> => {
    const { digest } = await store.put(Readable.from([text]));
    await utimes(await store.path(digest), at(-30 * DAY), at(-30 * DAY));
    return digest;
  };

  it('let a blob go once it was without a name for the whole grace', async () => {
    const orphans = new Set([await old('nobody wants it')]);

    expect(await marks.sweep(orphans, now, DAY)).toEqual({ files: 0, bytes: 0 });
    expect(await marks.sweep(orphans, at(DAY - HOUR), DAY)).toEqual({ files: 0, bytes: 0 });
    expect(await marks.sweep(orphans, at(DAY + HOUR), DAY)).toEqual({ files: 1, bytes: 15 });

    expect(await Array.fromAsync(store.list())).toEqual([]);
    expect(await readdir(join(root, 'orphans'))).toEqual([]);
  });

  it('begin again where the blob had a name meanwhile', async () => {
    const digest = await old('wanted, and not');
    await marks.sweep(new Set([digest]), now, DAY);
    await marks.sweep(new Set(), at(HOUR), DAY);
    await marks.sweep(new Set([digest]), at(2 * HOUR), DAY);

    expect(await marks.sweep(new Set([digest]), at(DAY + HOUR), DAY)).toMatchObject({ files: 0 });
    expect(await marks.sweep(new Set([digest]), at(DAY + 3 * HOUR), DAY)).toMatchObject({ files: 1 });
  });

  it('begin again where the same bytes arrived again, whose row is still to come', async () => {
    const digest = await old('again');
    const orphans = new Set([digest]);
    await marks.sweep(orphans, at(-2 * DAY), DAY);
    await store.put(Readable.from(['again']));

    expect(await marks.sweep(orphans, at(HOUR), DAY)).toMatchObject({ files: 0 });
    expect(await marks.sweep(orphans, at(DAY), DAY)).toMatchObject({ files: 0 });
    expect(await store.has(digest)).toBe(true);
    expect(await marks.sweep(orphans, at(DAY + 2 * HOUR), DAY)).toMatchObject({ files: 1 });
  });
});
