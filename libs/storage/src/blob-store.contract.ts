import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { BlobStore } from './blob-store.js';

/** A store under test, with access to what it has stored. */
export interface BlobStoreSubject {
  readonly store: BlobStore;
  /** Counts everything in the store, complete or not, in files or objects. */
  readonly count: () => Promise<number>;
  readonly dispose: () => Promise<void>;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** The contract that every blob store fulfils. */
export function blobStoreContract(name: string, make: (folder: string) => Promise<BlobStoreSubject>): void {
  describe(`${name}, as a blob store`, () => {
    const bytes = Buffer.from('the quick brown fox jumps over the lazy dog');
    const digest = sha256(bytes);
    let folder: string;
    let subject: BlobStoreSubject;
    let store: BlobStore;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'assay-blobs-'));
      subject = await make(folder);
      store = subject.store;
    });

    afterEach(async () => {
      await subject.dispose();
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

      expect(await subject.count()).toBe(1);
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

      expect(await subject.count()).toBe(0);
      expect(await store.put(Readable.from([bytes]), { maxBytes: 43 })).toEqual({ digest, size: 43 });
    });

    it('refuses bytes that are not the ones announced, and keeps none of them', async () => {
      const announced = sha256(Buffer.from('something else'));

      await expect(store.put(Readable.from([bytes]), { expectedDigest: announced })).rejects.toMatchObject({
        kind: 'invalid',
        code: 'upload_altered',
      });

      expect(await subject.count()).toBe(0);
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
      expect(await subject.count()).toBe(0);
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
      expect(await subject.count()).toBe(0);
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
      expect(await subject.count()).toBe(0);
    });

    it('takes bytes back that were not there before', async () => {
      const file = join(folder, 'arrived');
      await writeFile(file, bytes);

      await store.withdraw(await store.put(Readable.from([bytes])));
      expect(await subject.count()).toBe(0);
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

    it('removes bytes, and minds not if they are gone', async () => {
      await store.put(Readable.from([bytes]));

      await store.delete(digest);
      await store.delete(digest);

      expect(await store.has(digest)).toBe(false);
      expect(await subject.count()).toBe(0);
    });
  });
}
