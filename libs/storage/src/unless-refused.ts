import { DomainError } from '@assay/kernel';
import type { Blob, BlobStore } from './blob-store.js';

/**
 * Runs `keep` on a blob that has just arrived and returns its result. Withdraws the blob if `keep`
 * throws a DomainError; after any other error a row may already name it.
 */
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
