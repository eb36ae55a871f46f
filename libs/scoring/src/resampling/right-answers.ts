/** The examples that one of two models answers right and the other wrong. */
export interface DiscordantCounts {
  /** Examples that only the first answers right. */
  readonly one: number;
  /** Examples that only the second answers right. */
  readonly other: number;
}

/** The column of a resamples file that holds which answers are right, beside the metrics. */
export const RIGHT_ANSWERS = 'right';

/** The number of examples per value. A float32 holds whole numbers of 16 bits exactly. */
export const RIGHT_PER_VALUE = 16;

/**
 * Packs which answers are right into numbers of 16 bits, the first example in the lowest bit, so that
 * a file of float32 columns can hold them.
 * @param right one 0 or 1 per example
 */
export function packRight(right: ArrayLike<number>): Float32Array {
  const packed = new Float32Array(Math.ceil(right.length / RIGHT_PER_VALUE));
  for (let index = 0; index < right.length; index++) {
    if (right[index] === 1) packed[Math.floor(index / RIGHT_PER_VALUE)]! += 2 ** (index % RIGHT_PER_VALUE);
  }
  return packed;
}

/** Counts the examples on which two packed columns of the same length differ. */
export function discordantCounts(one: Float32Array, other: Float32Array): DiscordantCounts {
  let [ofOne, ofOther] = [0, 0];
  for (let index = 0; index < one.length; index++) {
    const [a, b] = [one[index]!, other[index]!];
    if (a === b) continue;
    ofOne += bitsOf(a & ~b);
    ofOther += bitsOf(b & ~a);
  }
  return { one: ofOne, other: ofOther };
}

function bitsOf(value: number): number {
  let count = 0;
  for (let left = value; left !== 0; left &= left - 1) count++;
  return count;
}
