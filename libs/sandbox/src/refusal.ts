import type { FailureCode } from '@assay/contracts/models';

export type RefusalCode = Extract<
  FailureCode,
  | 'archive_truncated'
  | 'bundle_incomplete'
  | 'bundle_refused'
  | 'image_refused'
  | 'not_a_bundle'
  | 'not_an_image'
  | 'unpacked_too_large'
  | 'wrong_architecture'
>;

/**
 * Carries the reason and the location of a refusal up the call stack; `rebuildImageArchive` and
 * `inspectOnnxBundle` turn it into a value.
 */
export class Refusal extends Error {
  constructor(
    readonly code: RefusalCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'Refusal';
  }
}

/** Returns the refusal of an image for its content. */
export const imageRefused = (message: string, options?: ErrorOptions): Refusal =>
  new Refusal('image_refused', message, options);

/** Returns the refusal of an ONNX bundle for its content. */
export const bundleRefused = (message: string, options?: ErrorOptions): Refusal =>
  new Refusal('bundle_refused', message, options);

/** Quotes a name from the submission for a message: short and on one line. */
export const quoted = (name: string): string =>
  JSON.stringify(name.length <= 120 ? name : `${name.slice(0, 80)}…${name.slice(-30)}`);

/** Ends the message of a library with a full stop, so that it can end a sentence. */
export const sentence = (message: string): string => (message.endsWith('.') ? message : `${message}.`);
