import { Buffer } from 'node:buffer';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { blobStoreContract } from './blob-store.contract.js';
import { LocalBlobStore } from './local-blob-store.js';

async function countFiles(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries.filter((entry) => entry.isFile()).length;
}

blobStoreContract('a folder', (folder) => {
  const root = join(folder, 'store');
  return Promise.resolve({
    store: new LocalBlobStore(root),
    count: () => countFiles(root),
    dispose: () => Promise.resolve(),
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
