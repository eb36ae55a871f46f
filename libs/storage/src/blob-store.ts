import type { Readable } from 'node:stream';

/** Bytes in the store, named by what they are. */
export interface Blob {
  /** sha256 in lower-case hexadecimal. */
  readonly digest: string;
  /** Bytes. */
  readonly size: number;
}

export interface PutOptions {
  /** What the sender says the sha256 is, in lower-case hexadecimal. */
  readonly expectedDigest?: string | undefined;
  /** The sha256 of a file that is adopted, where whoever wrote it has computed it: it is not read again. */
  readonly knownDigest?: string | undefined;
  /** The most bytes that are taken. */
  readonly maxBytes?: number | undefined;
  /** Told of bytes as they come, before they are written. What it throws refuses them. */
  readonly onBytes?: ((count: number) => void | Promise<void>) | undefined;
  /** What becomes of a file that is adopted (removed). Of one that is kept the bytes must not change any more. */
  readonly source?: 'removed' | 'kept';
}

/** Bytes from `start` to `end`, both included, counted from 0. */
export interface Range {
  readonly start?: number;
  readonly end?: number;
}

/**
 * A store of bytes by their sha256. What `put` or `adopt` returned is durable and whole; what they threw on has left
 * nothing. The same bytes are kept once.
 *
 * Errors of `put` and `adopt`, besides those of the source itself: DomainError `artifact_too_large` (too-large),
 * `upload_altered` (invalid), `storage_full` (unavailable).
 */
export interface BlobStore {
  /** Takes the bytes of `source` as they come; memory stays flat. */
  put(source: Readable, options?: PutOptions): Promise<Blob>;

  /** Takes a local file over; it is gone from `path` afterwards, unless it is to be kept. On an error it stays where it is. */
  adopt(path: string, options?: PutOptions): Promise<Blob>;

  /** @throws DomainError `blob_missing`, as an error of the stream */
  open(digest: string, range?: Range): Readable;

  /** A local file with these bytes, to be read only. @throws DomainError `blob_missing` */
  path(digest: string): Promise<string>;

  /** Bytes. @throws DomainError `blob_missing` */
  size(digest: string): Promise<number>;

  has(digest: string): Promise<boolean>;

  /** All that is in the store, in no order; what comes or goes meanwhile may be missed. */
  list(): AsyncIterable<Blob>;

  /** Removes the bytes; those that are not there are no error. */
  delete(digest: string): Promise<void>;

  /**
   * Removes bytes that have last arrived before `before`. Whoever puts the same meanwhile has them.
   * @returns how many went; null: they stay, or were not there
   */
  deleteUntouched(digest: string, before: Date): Promise<number | null>;

  /**
   * Removes the bytes again that the `put` or `adopt` which returned `blob` brought here. They stay where they were here before, and where
   * somebody has put the same since.
   */
  withdraw(blob: Blob): Promise<void>;

  /** Removes what arrivals that never ended have left for `olderThan` milliseconds (a day). @returns how many files */
  sweep(now: Date, olderThan?: number): Promise<number>;
}

/** Under which the store is injected. */
export const BLOB_STORE = Symbol('BlobStore');
