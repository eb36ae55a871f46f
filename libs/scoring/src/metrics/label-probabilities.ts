import type { MetricContext } from '../metric.js';

/**
 * The lower bound of a probability in a logarithm. A wrong answer given with certainty costs 34.5
 * nat instead of infinity.
 */
export const LEAST_PROBABILITY = 1e-15;

/**
 * Returns the index of the gold label among the task's labels, or −1 if it is not one of them. If
 * there are several acceptable labels, the one with the highest probability counts.
 */
export function goldLabel(gold: readonly string[], probabilities: ArrayLike<number>, context: MetricContext): number {
  let best = -1;
  for (const name of gold) {
    const label = context.labels.indexOf(name);
    if (label !== -1 && (best === -1 || probabilities[label]! > probabilities[best]!)) best = label;
  }
  return best;
}
