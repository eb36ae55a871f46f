/** The result of decoding the symbols of a sender. */
export interface Reception {
  /** The number of symbols after the training. */
  readonly symbols: number;
  /** The number of those that were decoded incorrectly. */
  readonly errors: number;
}

/**
 * Decodes on–off keying: a bit is 1 while the sender works, and 0 while it does not. The threshold is the
 * middle between the means of both bits in the first `training` symbols, which the receiver knows.
 * @param observed a measurement of each symbol
 * @param sent the bit of each symbol
 * @throws RangeError if the training does not contain both bits
 */
export function received(observed: readonly number[], sent: readonly boolean[], training: number): Reception {
  const meanOf = (wanted: boolean): number => mean(observed.slice(0, training).filter((_, at) => sent[at] === wanted));
  const [off, on] = [meanOf(false), meanOf(true)];
  const threshold = (off + on) / 2;
  const isOn = (measured: number): boolean => (on > off ? measured > threshold : measured < threshold);
  const errors = observed.slice(training).filter((measured, at) => isOn(measured) !== sent[training + at]);
  return { symbols: observed.length - training, errors: errors.length };
}

function mean(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('the training needs both bits');
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/**
 * Returns the capacity of a binary symmetric channel in bits per symbol, 1 − H(e) (Cover & Thomas 2006,
 * section 7.1.4). 0 at and above chance: a receiver that has learned which side is which guesses there.
 * @param errorRate the share of the symbols that are decoded incorrectly
 */
export function capacity(errorRate: number): number {
  if (errorRate >= 0.5) return 0;
  const term = (share: number): number => (share === 0 ? 0 : share * Math.log2(share));
  return 1 + term(errorRate) + term(1 - errorRate);
}
