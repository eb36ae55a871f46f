import { DomainError } from '@assay/kernel';
import { BLOB_STORE, type BlobStore, readResamples, type Resamples } from '@assay/storage';
import { Inject, Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { ResamplesLookup } from './rank-certainty.js';

/** Bytes of resamples in memory. */
const KEPT = 128 * 2 ** 20;
/** Blobs that are read at a time. */
const READERS = 16;

/** The resampled values that boards stand on, read from the blob store and kept in memory as far as there is room. */
@Injectable()
export class BoardResamples {
  private readonly kept = new LRUCache<string, Resamples>({ maxSize: KEPT, sizeCalculation: bytesOf });

  constructor(@Inject(BLOB_STORE) private readonly blobs: BlobStore) {}

  /** A lookup of these blobs; one that the store has no more is not in it. */
  async load(digests: readonly string[]): Promise<ResamplesLookup> {
    const found = new Map<string, Resamples>();
    const absent = digests.filter((digest) => {
      const known = this.kept.get(digest);
      if (known) found.set(digest, known);
      return !known;
    });
    for (let start = 0; start < absent.length; start += READERS) {
      await Promise.all(
        absent.slice(start, start + READERS).map(async (digest) => {
          const resamples = await this.read(digest);
          if (!resamples) return;
          this.kept.set(digest, resamples);
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
