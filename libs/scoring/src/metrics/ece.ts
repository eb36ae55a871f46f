import { defineMetric } from '../metric.js';

export const CALIBRATION_BINS = 15;

/**
 * Returns the bin of a top probability. Bin b of 15 is (b/15, (b+1)/15], and 0 is in the first bin.
 * Edges are compared in the precision of stored predictions (32 bits), so that 0.2 is in the same
 * bin before and after it is stored.
 */
export function calibrationBin(confidence: number): number {
  const nearest = Math.round(confidence * CALIBRATION_BINS);
  const isEdge = Math.fround(confidence) === Math.fround(nearest / CALIBRATION_BINS);
  return isEdge ? Math.max(0, nearest - 1) : Math.floor(confidence * CALIBRATION_BINS);
}

/**
 * Expected calibration error (Guo et al. 2017): the average gap between confidence (the top
 * probability) and accuracy in 15 bins of equal width, weighted by the number of examples. An
 * answer is correct if its label is, whether or not that label has the top probability: the metric
 * judges whether the stated confidence can be relied on. A tolerated bad answer counts as wrong
 * with confidence 1. An answer without probabilities makes the metric undefined (NaN).
 */
export const ece = defineMetric({
  name: 'ece',
  version: 1,
  label: 'ECE',
  description:
    'Expected calibration error: the average gap between confidence and accuracy. Predictions made with 90% confidence should be right 90% of the time.',
  unit: 'ratio',
  direction: 'lower',
  range: [0, 1],
  outputs: ['label'],
  needs: 'probabilities',
  formula: ['mean over 15 bins, weighted by their examples, of |accuracy − mean of the highest probability|'],
  source: 'Guo et al. 2017',
  kind: 'sums',
  width: () => 3 * CALIBRATION_BINS,
  contribute: ({ gold, predicted, probabilities }, into, offset) => {
    const confidence = predicted === null ? 1 : topProbability(probabilities);
    const at = offset + 3 * (Number.isNaN(confidence) ? 0 : calibrationBin(confidence));
    into[at]! += 1;
    into[at + 1]! += confidence;
    if (predicted !== null && gold.includes(predicted)) into[at + 2]! += 1;
  },
  fromSums: (sums) => {
    let examples = 0;
    let gaps = 0;
    for (let at = 0; at < sums.length; at += 3) {
      examples += sums[at]!;
      gaps += Math.abs(sums[at + 1]! - sums[at + 2]!);
    }
    return gaps / examples;
  },
  // the majority label, with its share as the confidence
  fromShares: () => 0,
});

function topProbability(probabilities: ArrayLike<number> | null): number {
  if (!probabilities) return NaN;

  let top = 0;
  for (let label = 0; label < probabilities.length; label++) top = Math.max(top, probabilities[label]!);
  // the probabilities may sum to up to 1.001
  return Math.min(1, top);
}
