import { imageRefused, Refusal } from '../refusal.js';

/** The messages that `tar-stream` throws for bytes that are not a tar. Its errors have no code. */
const TAR_FAULT = /^(Invalid tar header|Invalid header|Unexpected end of data|Header exceeds max size)/;

/**
 * Returns the refusal that `error` stands for if the data is at fault; otherwise returns `error`,
 * which is a platform failure.
 */
export function dataFault(error: unknown): unknown {
  if (typeof error !== 'object' || error === null || error instanceof Refusal) return error;
  const code = 'code' in error ? String(error.code) : '';
  const message = 'message' in error ? String(error.message) : '';
  if (code === 'Z_BUF_ERROR') {
    return new Refusal('archive_truncated', 'Its compressed data ends early.', { cause: error });
  }
  if (code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return imageRefused('Its zstd window is larger than the limit of 32 MiB. Compress it without --long and --ultra.', {
      cause: error,
    });
  }
  if (code.startsWith('Z_') || code.startsWith('ZSTD_')) {
    return imageRefused(`Its compressed data is damaged (${message}).`, { cause: error });
  }
  if (TAR_FAULT.test(message)) {
    return imageRefused(`It is not a valid tar (${message}).`, { cause: error });
  }
  return error;
}
