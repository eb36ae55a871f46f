import { Buffer } from 'node:buffer';
import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { BlobStore } from './blob-store.js';
import { LocalBlobStore } from './local-blob-store.js';

async function countFiles(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).length;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('LocalBlobStore, as a blob store', () => {
  const bytes = Buffer.from('the quick brown fox jumps over the lazy dog');
  const digest = sha256(bytes);
  let folder: string;
  let store: BlobStore;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'assay-blobs-'));
    store = new LocalBlobStore(join(folder, 'store'));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('names bytes by their sha256 and gives them back', async () => {
    expect(await store.put(Readable.from([bytes.subarray(0, 9), bytes.subarray(9)]))).toEqual({ digest, size: 43 });

    expect(await buffer(store.open(digest))).toEqual(bytes);
    expect(await store.size(digest)).toBe(43);
    expect(await store.has(digest)).toBe(true);
    expect(await readFile(await store.path(digest))).toEqual(bytes);
  });

  it('keeps the same bytes once', async () => {
    await Promise.all([store.put(Readable.from([bytes])), store.put(Readable.from([bytes]))]);
    await store.put(Readable.from([bytes]));

    expect(await countFiles(join(folder, 'store'))).toBe(1);
  });

  it('lists what is in it', async () => {
    const listed = async () => Array.fromAsync(store.list());
    expect(await listed()).toEqual([]);
    await store.put(Readable.from([bytes]));
    const { digest: empty } = await store.put(Readable.from([]));

    expect((await listed()).sort((a, b) => b.size - a.size)).toEqual([
      { digest, size: 43 },
      { digest: empty, size: 0 },
    ]);
  });

  it('keeps nothing at all, too', async () => {
    const { digest: empty, size } = await store.put(Readable.from([]));

    expect(size).toBe(0);
    expect(await buffer(store.open(empty))).toEqual(Buffer.alloc(0));
  });

  it('reads a range with both ends included', async () => {
    await store.put(Readable.from([bytes]));

    expect((await buffer(store.open(digest, { start: 4, end: 8 }))).toString()).toBe('quick');
    expect((await buffer(store.open(digest, { start: 40 }))).toString()).toBe('dog');
  });

  it('refuses more than was allowed, and keeps none of it', async () => {
    await expect(store.put(Readable.from([bytes, bytes]), { maxBytes: 50 })).rejects.toMatchObject({
      kind: 'too-large',
      code: 'artifact_too_large',
    });

    expect(await countFiles(join(folder, 'store'))).toBe(0);
    expect(await store.put(Readable.from([bytes]), { maxBytes: 43 })).toEqual({ digest, size: 43 });
  });

  it('refuses bytes that are not the ones announced, and keeps none of them', async () => {
    const announced = sha256(Buffer.from('something else'));

    await expect(store.put(Readable.from([bytes]), { expectedDigest: announced })).rejects.toMatchObject({
      kind: 'invalid',
      code: 'upload_altered',
    });

    expect(await countFiles(join(folder, 'store'))).toBe(0);
    await store.put(Readable.from([bytes]), { expectedDigest: digest });
    expect(await store.has(digest)).toBe(true);
  });

  it('keeps nothing of a source that breaks off, and says why it did', async () => {
    const broken = Readable.from(
      (function* () {
        yield bytes;
        throw new Error('the sender went away');
      })(),
    );

    await expect(store.put(broken)).rejects.toThrow('the sender went away');
    expect(await countFiles(join(folder, 'store'))).toBe(0);
  });

  it('takes a file over', async () => {
    const file = join(folder, 'arrived');
    await writeFile(file, bytes);

    expect(await store.adopt(file, { expectedDigest: digest })).toEqual({ digest, size: 43 });

    expect(await buffer(store.open(digest))).toEqual(bytes);
    await expect(stat(file)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('takes over a file that is to be kept, as often as it is asked', async () => {
    const file = join(folder, 'arrived');
    await writeFile(file, bytes);

    expect(await store.adopt(file, { source: 'kept' })).toEqual({ digest, size: 43 });
    expect(await store.adopt(file, { source: 'kept', expectedDigest: digest })).toEqual({ digest, size: 43 });

    expect(await readFile(file)).toEqual(bytes);
    await rm(file);
    expect(await buffer(store.open(digest))).toEqual(bytes);
  });

  it('leaves a file where it is that it does not take over', async () => {
    const file = join(folder, 'arrived');
    await writeFile(file, bytes);

    await expect(store.adopt(file, { expectedDigest: sha256(Buffer.from('x')) })).rejects.toMatchObject({
      code: 'upload_altered',
    });
    await expect(store.adopt(file, { maxBytes: 10 })).rejects.toMatchObject({ code: 'artifact_too_large' });

    expect(await readFile(file)).toEqual(bytes);
    expect(await countFiles(join(folder, 'store'))).toBe(0);
  });

  it('says of bytes that are not there that they are not there', async () => {
    const missing = { kind: 'not-found', code: 'blob_missing' };

    expect(await store.has(digest)).toBe(false);
    await expect(store.size(digest)).rejects.toMatchObject(missing);
    await expect(store.path(digest)).rejects.toMatchObject(missing);
    await expect(buffer(store.open(digest))).rejects.toMatchObject(missing);
  });

  it('takes no name for a digest that is none', async () => {
    expect(await store.has('../../etc/passwd')).toBe(false);
    await expect(store.path('../../etc/passwd')).rejects.toMatchObject({ code: 'blob_missing' });
    await expect(buffer(store.open('..'))).rejects.toMatchObject({ code: 'blob_missing' });
  });

  it('removes bytes that have not arrived for long, and those alone', async () => {
    await store.put(Readable.from([bytes]));
    const soon = new Date(Date.now() + 3_600_000);

    expect(await store.deleteUntouched(digest, new Date(Date.now() - 3_600_000))).toBeNull();
    expect(await store.has(digest)).toBe(true);
    expect(await store.deleteUntouched(digest, soon)).toBe(43);
    expect(await store.deleteUntouched(digest, soon)).toBeNull();
    expect(await countFiles(join(folder, 'store'))).toBe(0);
  });

  it('takes bytes back that were not there before', async () => {
    const file = join(folder, 'arrived');
    await writeFile(file, bytes);

    await store.withdraw(await store.put(Readable.from([bytes])));
    expect(await countFiles(join(folder, 'store'))).toBe(0);
    await store.withdraw(await store.adopt(file, { source: 'kept' }));
    expect(await store.has(digest)).toBe(false);
    expect(await readFile(file)).toEqual(bytes);
  });

  it('takes no bytes back that others have put as well, before or after', async () => {
    const put = () => store.put(Readable.from([bytes]));
    const [first, second] = [await put(), await put()];
    await store.withdraw(second);
    expect(await store.has(digest)).toBe(true);
    await store.withdraw(first);
    expect(await store.has(digest)).toBe(true);
  });

  it('takes no bytes back that others put at that very moment', async () => {
    for (let round = 0; round < 100; round++) {
      const arrived = await Promise.all(Array.from({ length: 3 }, () => store.put(Readable.from([bytes]))));
      await store.withdraw(arrived[round % 3]!);
      expect([round, await store.has(digest)]).toEqual([round, true]);
      await store.delete(digest);
    }
  });

  it('removes damaged bytes only', async () => {
    await store.put(Readable.from([bytes]));
    expect(await store.deleteDamaged(digest)).toBe(false);

    const path = await store.path(digest);
    await chmod(path, 0o600);
    await writeFile(path, 'something else');
    expect(await store.deleteDamaged(digest)).toBe(true);
    expect(await store.has(digest)).toBe(false);
    expect(await store.deleteDamaged(digest)).toBe(false);
  });

  it('removes bytes, and minds not if they are gone', async () => {
    await store.put(Readable.from([bytes]));

    await store.delete(digest);
    await store.delete(digest);

    expect(await store.has(digest)).toBe(false);
    expect(await countFiles(join(folder, 'store'))).toBe(0);
  });
});

describe('LocalBlobStore', () => {
  let root: string;

  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'assay-blobs-'));
  });

  afterEach(async () => {
    await rm(root, { recursive: true, force: true });
  });

  it('sweeps away what a crash left half-way, and nothing else', async () => {
    const store = new LocalBlobStore(root);
    await store.put(Readable.from(['kept']));
    const yesterday = new Date(Date.now() - 25 * 3600 * 1000);
    await mkdir(join(root, 'temporary'), { recursive: true });
    await writeFile(join(root, 'temporary', 'crashed'), 'half');
    await utimes(join(root, 'temporary', 'crashed'), yesterday, yesterday);
    await writeFile(join(root, 'temporary', 'arriving'), 'half');

    expect(await store.sweep(new Date())).toBe(1);

    expect(await readdir(join(root, 'temporary'))).toEqual(['arriving']);
    expect(await countFiles(root)).toBe(2);
  });

  it('keeps what is stored from every other account, also what it takes over', async () => {
    const uploads = join(root, 'uploads');
    await mkdir(uploads);
    await writeFile(join(uploads, 'one'), 'adopted', { mode: 0o644 });
    await writeFile(join(uploads, 'two'), 'adopted and kept', { mode: 0o644 });
    const store = await LocalBlobStore.open(join(root, 'store'));

    await store.put(Readable.from(['put']));
    await store.adopt(join(uploads, 'one'));
    await store.adopt(join(uploads, 'two'), { source: 'kept' });

    const modes: Record<string, Set<string>> = { file: new Set(), folder: new Set() };
    for (const entry of await readdir(join(root, 'store'), { recursive: true, withFileTypes: true })) {
      const { mode } = await stat(join(entry.parentPath, entry.name));
      modes[entry.isFile() ? 'file' : 'folder']!.add((mode & 0o777).toString(8));
    }
    expect(modes).toEqual({ file: new Set(['600']), folder: new Set(['700']) });
  });

  it('closes a store that an earlier version left open to others', async () => {
    const folder = join(root, 'store');
    await mkdir(folder, { mode: 0o755 });
    const before = await new LocalBlobStore(folder).put(Readable.from(['of before']));

    const store = await LocalBlobStore.open(folder);

    expect(((await stat(folder)).mode & 0o777).toString(8)).toBe('700');
    expect(await store.size(before.digest)).toBe(9);
  });

  it('leaves nothing of what was refused before its file was there', async () => {
    const store = new LocalBlobStore(root);

    let refused = 0;
    for (let round = 0; round < 2000; round++) {
      await store.put(Readable.from([Buffer.alloc(10)]), { maxBytes: 5 }).catch(() => refused++);
    }

    expect(refused).toBe(2000);
    // what the file system was asked for until now comes before this
    await Promise.all(Array.from({ length: 50 }, () => stat(root)));
    expect(await readdir(join(root, 'temporary'))).toEqual([]);
  });

  it('asks for no more memory to read a small blob than it has bytes', async () => {
    const store = new LocalBlobStore(root);
    const { digest } = await store.put(Readable.from([Buffer.alloc(8_000, 7)]));
    const asked = jest.spyOn(Buffer, 'allocUnsafeSlow');

    const read = Buffer.concat((await store.open(digest).toArray()) as Buffer[]);

    const most = Math.max(...asked.mock.calls.map(([size]) => size));
    asked.mockRestore();
    expect(read).toEqual(Buffer.alloc(8_000, 7));
    expect(most).toBe(8_000);
  });

  it('never removes what arrives again at that very moment', async () => {
    const store = new LocalBlobStore(root);
    const { digest } = await store.put(Readable.from(['wanted again']));
    const file = await store.path(digest);
    const [longAgo, yesterday] = [48, 24].map((hours) => new Date(Date.now() - hours * 3600 * 1000));
    let removed = 0;
    for (let round = 0; round < 300; round++) {
      await utimes(file, longAgo!, longAgo!);
      const [isThere, went] = await Promise.all([
        store.put(Readable.from(['wanted again'])).then(() => store.has(digest)),
        // at another moment of the arrival each time
        (async () => {
          for (let turn = 0; turn < round % 12; turn++) await stat(root);
          return store.deleteUntouched(digest, yesterday!);
        })(),
      ]);
      expect([round, isThere, await store.has(digest)]).toEqual([round, true, true]);
      if (went !== null) removed++;
    }
    // both have happened: it went before it came, and it came before it went
    expect(removed).toBeGreaterThan(0);
    expect(removed).toBeLessThan(300);
    expect(await readdir(join(root, 'temporary'))).toEqual([]);
  });

  it('has memory to spare for a file that is larger than it may hold', async () => {
    const store = new LocalBlobStore(root);
    const chunk = Buffer.alloc(1024 * 1024, 7);
    const before = process.memoryUsage.rss();
    let most = 0;
    const source = Readable.from(
      (function* () {
        for (let sent = 0; sent < 300; sent++) {
          most = Math.max(most, process.memoryUsage.rss());
          yield chunk;
        }
      })(),
    );

    const { size } = await store.put(source);

    expect(size).toBe(300 * 1024 * 1024);
    expect(most - before).toBeLessThan(100 * 1024 * 1024);
  });
});
