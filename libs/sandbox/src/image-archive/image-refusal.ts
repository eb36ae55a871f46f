import type { FailureCode } from '@assay/contracts/models';

export type ImageRefusalCode = Extract<
  FailureCode,
  'not_an_image' | 'archive_truncated' | 'wrong_architecture' | 'image_refused' | 'unpacked_too_large'
>;

/**
 * Carries the reason and the location of a refusal up the call stack; `rebuildImageArchive` turns
 * it into a value.
 */
export class ImageRefusal extends Error {
  constructor(
    readonly code: ImageRefusalCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'ImageRefusal';
  }
}

/** Quotes a name from the submission for a message: short and on one line. */
export function quoted(name: string): string {
  const shown = name.length <= 120 ? name : `${name.slice(0, 80)}…${name.slice(-30)}`;
  return JSON.stringify(shown);
}
