import type { FailureCode } from '@assay/contracts/models';

export type BundleRefusalCode = Extract<
  FailureCode,
  'not_a_bundle' | 'bundle_incomplete' | 'bundle_refused' | 'archive_truncated' | 'unpacked_too_large'
>;

/**
 * Carries the reason and the location of a refusal up the call stack; `inspectOnnxBundle` turns it
 * into a value.
 */
export class BundleRefusal extends Error {
  constructor(
    readonly code: BundleRefusalCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = 'BundleRefusal';
  }
}

/** Quotes a name from the submission for a message: short and on one line. */
export function shown(name: string): string {
  return JSON.stringify(name.length <= 120 ? name : `${name.slice(0, 80)}…${name.slice(-30)}`);
}

/** Ends the message of a library with a full stop, so that it can end a sentence. */
export function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
