import type { FailureCode } from '@assay/contracts';

export type BundleRefusalCode = Extract<
  FailureCode,
  'not_a_bundle' | 'bundle_incomplete' | 'bundle_refused' | 'archive_truncated' | 'unpacked_too_large'
>;

/** Leaves the depths of a bundle with what is wrong and where; `inspectOnnxBundle` turns it into a value. */
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

/** A name of the submission, fit to stand in a sentence: short, on one line. */
export function shown(name: string): string {
  return JSON.stringify(name.length <= 120 ? name : `${name.slice(0, 80)}…${name.slice(-30)}`);
}

/** What a library says, as the end of a sentence of ours. */
export function sentence(message: string): string {
  return message.endsWith('.') ? message : `${message}.`;
}
