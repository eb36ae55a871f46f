// Turns the logits of a text classifier into answers.

/**
 * Computes the softmax in double precision. Of equal logits, the first label wins.
 * @param {ArrayLike<number>} logits
 * @param {number} start
 * @param {readonly string[]} labels
 * @returns {{ label: string, probabilities: Record<string, number> }}
 */
export function singleLabel(logits, start, labels) {
  const best = argmax(logits, start, labels.length);
  const weights = labels.map((_, index) => Math.exp(logits[start + index] - logits[start + best]));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  /** @type {Record<string, number>} */
  const probabilities = {};
  for (let index = 0; index < labels.length; index++) probabilities[labels[index]] = weights[index] / total;
  return { label: labels[best], probabilities };
}

/** Returns the labels whose sigmoid is at least one half. */
export function multiLabel(logits, start, labels) {
  return labels.filter((_, index) => logits[start + index] >= 0);
}

function argmax(values, start, count) {
  let best = 0;
  for (let index = 1; index < count; index++) if (values[start + index] > values[start + best]) best = index;
  return best;
}
