import { DomainError } from '@assay/kernel';
import type { Blob, BlobStore } from './blob-store.js';

/** What `keep` makes of a blob that has just arrived. Nothing is left of one that it refuses; on any other error a row may name it by now. */
export async function unlessRefused<T>(
  blobs: Pick<BlobStore, 'withdraw'>,
  blob: Blob,
  keep: () => Promise<T>,
): Promise<T> {
  try {
    return await keep();
  } catch (error) {
    if (error instanceof DomainError) await blobs.withdraw(blob);
    throw error;
  }
}
