import { DomainError } from '@assay/kernel';

export function blobMissing(digest: string): DomainError {
  return new DomainError('not-found', 'blob_missing', `The stored file ${digest.slice(0, 12)}… is missing.`);
}

export function tooLarge(maxBytes: number): DomainError {
  return new DomainError('too-large', 'artifact_too_large', `The file is too large: the limit is ${maxBytes} bytes.`);
}

export function altered(expected: string, digest: string): DomainError {
  return new DomainError(
    'invalid',
    'upload_altered',
    `The upload does not match its declared digest. Its sha256 is ${digest}, but ${expected} was declared.`,
  );
}

export function storageFull(): DomainError {
  return new DomainError('unavailable', 'storage_full', 'The disk of the service is full. Try again later.');
}

/** Returns whether the disk, or a quota on it, is exhausted. */
export function isStorageFull(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOSPC' || code === 'EDQUOT';
}

export function isMissing(error: unknown): boolean {
  return errorCode(error) === 'ENOENT';
}

/**
 * Returns a handler of rejections: it returns `value` for errors with one of the system's codes and
 * throws all others.
 */
export const onCodes =
  <T>(codes: readonly string[], value: T) =>
  (error: unknown): T => {
    if (codes.includes(errorCode(error) ?? '')) return value;
    throw error;
  };

/** The system's code of an error, for example `ENOENT`. */
export function errorCode(error: unknown): string | undefined {
  return typeof error === 'object' && error !== null && 'code' in error && typeof error.code === 'string'
    ? error.code
    : undefined;
}
