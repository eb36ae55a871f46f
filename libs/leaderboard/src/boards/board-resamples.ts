import { BLOB_STORE, type BlobStore, readResamples, type Resamples } from '@assay/storage';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { isBlobMissing } from '../comparison/answered-rows.js';
import type { ResamplesLookup } from './score-draws.js';

/** The maximum size in bytes of the cached resamples. */
const CACHED_BYTES = 128 * 2 ** 20;
/** The number of blobs that are read concurrently. */
const READERS = 16;

/** Loads the resampled values that boards need from the blob store, and caches them. */
@Injectable()
export class BoardResamples {
  private readonly cache = new LRUCache<string, Resamples>({
    ignoreFetchAbort: true,
    maxSize: CACHED_BYTES,
    sizeCalculation: bytesOf,
    fetchMethod: (digest) => this.limit(() => this.read(digest)),
  });
  private readonly limit = pLimit(READERS);

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** Returns a lookup of these blobs. Blobs that are no longer in the store are absent. */
  async load(digests: readonly string[]): Promise<ResamplesLookup> {
    const found = await Promise.all(digests.map(async (digest) => [digest, await this.cache.fetch(digest)] as const));
    const lookup = new Map(found);
    return (digest) => lookup.get(digest);
  }

  private async read(digest: string): Promise<Resamples | undefined> {
    try {
      return await readResamples(this.blobs, digest);
    } catch (error) {
      if (isBlobMissing(error)) return undefined;
      throw error;
    }
  }
}

const bytesOf = (resamples: Resamples): number =>
  Object.values(resamples).reduce((sum, { byteLength }) => sum + byteLength, 1);
