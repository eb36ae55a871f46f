import { DomainError } from '@assay/kernel';
import { BLOB_STORE, type BlobStore, readResamples, type Resamples } from '@assay/storage';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ResamplesLookup } from './rank-certainty.js';

/** The maximum size in bytes of the cached resamples. */
const CACHED_BYTES = 128 * 2 ** 20;
/** The number of blobs that are read concurrently. */
const READERS = 16;

/** Loads the resampled values that boards need from the blob store, and caches them. */
@Injectable()
export class BoardResamples {
  private readonly cache = new LRUCache<string, Resamples>({ maxSize: CACHED_BYTES, sizeCalculation: bytesOf });

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** Returns a lookup of these blobs. Blobs that are no longer in the store are absent. */
  async load(digests: readonly string[]): Promise<ResamplesLookup> {
    const found = new Map<string, Resamples>();
    const absent = digests.filter((digest) => {
      const known = this.cache.get(digest);
      if (known) found.set(digest, known);
      return !known;
    });
    for (let start = 0; start < absent.length; start += READERS) {
      await Promise.all(
        absent.slice(start, start + READERS).map(async (digest) => {
          const resamples = await this.read(digest);
          if (!resamples) return;
          this.cache.set(digest, resamples);
          found.set(digest, resamples);
        }),
      );
    }
    return (digest) => found.get(digest);
  }

  private async read(digest: string): Promise<Resamples | null> {
    try {
      return await readResamples(this.blobs, digest);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'blob_missing') return null;
      throw error;
    }
  }
}

const bytesOf = (resamples: Resamples): number =>
  Object.values(resamples).reduce((sum, { byteLength }) => sum + byteLength, 1);
