import { remembered } from '@assay/kernel';

const BITS = 32;

/**
 * Returns the length of the longest common subsequence. Processes 32 tokens of the reference at a
 * time (Hyyrö 2004, "Bit-parallel LCS-length computation revisited"): each zero bit in `row` is a
 * reference token that lengthens the subsequence.
 */
export function longestCommonSubsequence(reference: readonly string[], answer: readonly string[]): number {
  const places = placesOf(reference);
  const row = new Int32Array(Math.ceil(reference.length / BITS)).fill(-1);
  for (const token of answer) {
    const mask = places.get(token);
    if (!mask) continue;

    let carry = 0;
    for (let word = 0; word < row.length; word++) {
      const before = row[word]!;
      const sum = (before >>> 0) + ((before & mask[word]!) >>> 0) + carry;
      carry = sum > 0xffff_ffff ? 1 : 0;
      row[word] = sum | (before & ~mask[word]!);
    }
  }

  let length = 0;
  for (let place = 0; place < reference.length; place++) length += (~row[place >>> 5]! >>> (place & 31)) & 1;
  return length;
}

/** Returns the positions of each token as a mask: bit p is position p. */
function placesOf(tokens: readonly string[]): Map<string, Int32Array> {
  const places = new Map<string, Int32Array>();
  for (const [place, token] of tokens.entries()) {
    const mask = remembered(places, token, () => new Int32Array(Math.ceil(tokens.length / BITS)));
    mask[place >>> 5]! |= 1 << (place & 31);
  }
  return places;
}
