import type { MetricContext } from '../metric.js';

/** What a probability is never taken to be below: one certain mistake costs 34.5 nat, not infinity. */
export const LEAST_PROBABILITY = 1e-15;

/** Place of the gold label among the task's labels, −1 where it is none of them. Of several acceptable ones, the one of the highest probability. */
export function goldLabel(gold: readonly string[], probabilities: ArrayLike<number>, context: MetricContext): number {
  let best = -1;
  for (const name of gold) {
    const label = context.labels.indexOf(name);
    if (label !== -1 && (best === -1 || probabilities[label]! > probabilities[best]!)) best = label;
  }
  return best;
}
