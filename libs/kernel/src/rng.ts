/** A stream of random numbers. The same seed gives the same stream on every machine. */
export interface Rng {
  /** Returns a uniform number in [0, 1) with 32 random bits. */
  next(): number;
  /** Returns a uniform integer in [0, bound). */
  below(bound: number): number;
}

/**
 * Creates an sfc32 generator (Chris Doty-Humphrey, PractRand). The hash xmur3 derives its state
 * from any string.
 */
export function seededRng(seed: string): Rng {
  const hash = stringHash(seed);
  let a = hash();
  let b = hash();
  let c = hash();
  let counter = 1;

  const bits = (): number => {
    const sum = (a + b + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round++) bits();

  return {
    next: () => bits() / 0x1_0000_0000,
    below: (bound) => Math.floor((bits() / 0x1_0000_0000) * bound),
  };
}

function stringHash(text: string): () => number {
  let state = 1779033703 ^ text.length;
  for (let index = 0; index < text.length; index++) {
    state = Math.imul(state ^ text.charCodeAt(index), 3432918353);
    state = (state << 13) | (state >>> 19);
  }
  return () => {
    state = Math.imul(state ^ (state >>> 16), 2246822507);
    state = Math.imul(state ^ (state >>> 13), 3266489909);
    state ^= state >>> 16;
    return state >>> 0;
  };
}
