import type { Readable } from 'node:stream';
import { DomainError } from '@assay/kernel';

/** Bytes in the store, identified by their digest. */
export interface Blob {
  /** The sha256, in lower-case hexadecimal. */
  readonly digest: string;
  /** The size in bytes. */
  readonly size: number;
}

export interface PutOptions {
  /** The sha256 that the sender declares, in lower-case hexadecimal. */
  readonly expectedDigest?: string | undefined;
  /**
   * The sha256 of an adopted file, if its writer has computed it; the file is then not read again.
   */
  readonly knownDigest?: string | undefined;
  /** The most bytes that are accepted. */
  readonly maxBytes?: number | undefined;
  /**
   * Called with the number of bytes that arrived, before they are written. An error refuses them.
   */
  readonly onBytes?: ((count: number) => void | Promise<void>) | undefined;
  /**
   * The fate of an adopted file; default: `removed`. The bytes of a kept file must not change
   * any more.
   */
  readonly source?: 'removed' | 'kept';
}

/** The bytes from `start` to `end`, both included, counted from 0. */
export interface Range {
  readonly start?: number;
  readonly end?: number;
}

/**
 * A content-addressed store of bytes by sha256. After `put` or `adopt` returns, the blob is
 * complete and durable; if they throw, nothing remains. The same bytes are stored once.
 *
 * Errors of `put` and `adopt`, besides those of the source itself: DomainError `artifact_too_large`
 * (too-large), `upload_altered` (invalid), `storage_full` (unavailable).
 */
export interface BlobStore {
  /** Stores the bytes of `source` as they arrive, in constant memory. */
  put(source: Readable, options?: PutOptions): Promise<Blob>;

  /**
   * Takes over a local file. The file is gone from `path` afterwards, unless `source` is `kept`.
   * After an error it stays where it is.
   */
  adopt(path: string, options?: PutOptions): Promise<Blob>;

  /**
   * Opens a blob for reading.
   * @throws DomainError `blob_missing`, as an error of the stream
   */
  open(digest: string, range?: Range): Readable;

  /**
   * Returns the path of a local file with these bytes, for reading only.
   * @throws DomainError `blob_missing`
   */
  path(digest: string): Promise<string>;

  /**
   * Returns the size in bytes.
   * @throws DomainError `blob_missing`
   */
  size(digest: string): Promise<number>;

  has(digest: string): Promise<boolean>;

  /** Lists all blobs, in no order. May miss blobs that arrive or are removed meanwhile. */
  list(): AsyncIterable<Blob>;

  /** Removes a blob. Does nothing if it is missing. */
  delete(digest: string): Promise<void>;

  /**
   * Removes a blob whose bytes are not those of its digest, so that the right bytes can be stored
   * again. Does nothing if it is missing.
   * @returns whether it was damaged
   */
  deleteDamaged(digest: string): Promise<boolean>;

  /**
   * Removes a blob that last arrived before `before`. A concurrent `put` or `adopt` of the same
   * bytes prevails.
   * @returns the bytes removed; null if the blob stays or is missing
   */
  deleteUntouched(digest: string, before: Date): Promise<number | null>;

  /**
   * Undoes the `put` or `adopt` that returned `blob`. The bytes stay if they were in the store
   * before, or if the same bytes were put again since.
   */
  withdraw(blob: Blob): Promise<void>;

  /**
   * Removes what interrupted arrivals left at least `olderThan` milliseconds ago (default: one
   * day).
   * @returns the number of files removed
   */
  sweep(now: Date, olderThan?: number): Promise<number>;
}

/** The injection token of the store. */
export const BLOB_STORE = Symbol('BlobStore');

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
