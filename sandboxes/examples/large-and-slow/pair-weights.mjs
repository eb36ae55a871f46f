// One weight per label for every feature and for every pair of features of a text. This writes out
// what a polynomial kernel of degree 2 does implicitly. A text of 200 features has 20,000 pairs,
// each of which is looked up in a table of 200 MB, which makes this model large and slow.

/**
 * Slots of the table. Pairs that share a slot by chance have random signs, so that they cancel on
 * average.
 */
const SLOTS = 2 ** 24;

const LINEAR = Math.SQRT1_2;

/**
 * Creates the table of weights. `learn` adds a text's features with a share for each label;
 * `scores` returns the score of each label.
 * @param {number} labels
 * @returns {{learn: (features: Features, shares: readonly number[]) => void, scores: (features:
 * Features) => Float64Array}}
 * @typedef {{ids: Uint32Array, weights: Float64Array}} Features
 */
export function pairWeights(labels) {
  const table = new Float32Array(SLOTS * labels);
  return {
    learn(features, shares) {
      eachProduct(features, (hash, product) => {
        const slot = (hash % SLOTS) * labels;
        const signed = hash & 0x80000000 ? -product : product;
        for (let label = 0; label < labels; label += 1) table[slot + label] += shares[label] * signed;
      });
    },
    scores(features) {
      const sums = new Float64Array(labels);
      eachProduct(features, (hash, product) => {
        const slot = (hash % SLOTS) * labels;
        const signed = hash & 0x80000000 ? -product : product;
        for (let label = 0; label < labels; label += 1) sums[label] += signed * table[slot + label];
      });
      return sums;
    },
  };
}

/**
 * Returns the inner product of two texts in the space of `pairWeights` without computing it there:
 * (x·y + (x·y)²) / 2.
 */
export function kernel(product) {
  return (product + product * product) / 2;
}

function eachProduct({ ids, weights }, visit) {
  for (let first = 0; first < ids.length; first += 1) {
    visit(mixed(ids[first], 0), LINEAR * weights[first]);
    visit(mixed(ids[first], ids[first]), LINEAR * weights[first] ** 2);
    for (let second = 0; second < first; second += 1) {
      visit(mixed(ids[first], ids[second]), weights[first] * weights[second]);
    }
  }
}

/** Hashes two IDs, in any order, to 32 bits (the finaliser of MurmurHash3). */
function mixed(left, right) {
  let value = Math.imul(Math.max(left, right), 0x9e3779b1) ^ Math.imul(Math.min(left, right) + 1, 0x85ebca77);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
