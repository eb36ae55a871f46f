import { calibratedBand } from '../calibrated-band.js';
import { defineMetric } from '../metric.js';
import type { Contributions } from '../resampling/statistic.js';

export const CALIBRATION_BINS = 15;

/**
 * Returns the bin of a probability. Bin b of 15 is (b/15, (b+1)/15], and 0 is in the first bin.
 * Edges are compared in the precision of stored predictions (32 bits), so that 0.2 is in the same
 * bin before and after it is stored.
 */
export function calibrationBin(confidence: number): number {
  const nearest = Math.round(confidence * CALIBRATION_BINS);
  const isEdge = Math.fround(confidence) === Math.fround(nearest / CALIBRATION_BINS);
  return isEdge ? Math.max(0, nearest - 1) : Math.floor(confidence * CALIBRATION_BINS);
}

/**
 * Expected calibration error (Guo et al. 2017): the average gap between confidence and accuracy in
 * 15 bins of equal width, weighted by the number of examples. The confidence is the probability of
 * the label that was given as the answer, whether or not it is the highest one. A tolerated bad
 * answer counts as wrong with confidence 1. An answer without probabilities makes the metric
 * undefined (NaN).
 */
export const ece = defineMetric({
  name: 'ece',
  version: 2,
  label: 'ECE',
  description:
    'Expected calibration error: the average gap between confidence and accuracy. Predictions made with 90% confidence should be right 90% of the time.',
  unit: 'ratio',
  direction: 'lower',
  range: [0, 1],
  outputs: ['label'],
  needs: 'probabilities',
  formula: ['mean over 15 bins, weighted by their examples, of |accuracy − mean probability of the given label|'],
  source: 'Guo et al. 2017',
  kind: 'sums',
  width: () => 3 * CALIBRATION_BINS,
  contribute: ({ gold, predicted, probabilities }, into, offset, { labels }) => {
    const confidence = predicted === null ? 1 : confidenceIn(labels.indexOf(predicted), probabilities);
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
  band: (contributions, seed) => calibratedBand(confidencesOf(contributions), seed),
  // the majority label, with its share as the confidence
  fromShares: () => 0,
});

/** Returns the probability of a label; NaN without probabilities. They may sum to up to 1.001. */
const confidenceIn = (label: number, probabilities: ArrayLike<number> | null): number =>
  Math.min(1, probabilities?.[label] ?? NaN);
/** Returns the confidences of the answers in each bin, in the order of `contribute`. */
function confidencesOf({ start, at, amount }: Contributions): readonly number[][] {
  const bins = Array.from({ length: CALIBRATION_BINS }, (): number[] => []);
  for (let example = 0; example + 1 < start.length; example++) {
    const first = start[example]!;
    // a confidence of 0 is not stored
    const isStored = first + 1 < start[example + 1]! && at[first + 1]! % 3 === 1;
    bins[at[first]! / 3]!.push(isStored ? amount[first + 1]! : 0);
  }
  return bins;
}
