import { seededRng, type Rng } from '@assay/kernel';
import type { Band } from './estimate.js';
import { quantile } from './intervals/sorted-values.js';
import { drawNormal } from './random-draws.js';

const SIMULATIONS = 1_000;
/** Bins with more answers than this use the normal approximation. */
const MOST_DRAWN = 200;

/**
 * Returns the 95% band of the expected calibration error of a perfectly calibrated model, which is
 * above 0 for any finite number of answers. In each of 1000 simulations, every answer is right with
 * its own confidence. The same seed gives the same band.
 *
 * @param bins the confidences of the answers in each bin
 */
export function calibratedBand(bins: readonly (readonly number[])[], seed: string): Band {
  const rng = seededRng(`calibrated/${seed}`);
  const answers = bins.reduce((sum, bin) => sum + bin.length, 0);
  const gaps = bins.filter((bin) => bin.length > 0).map((bin) => gapOf(bin, rng));
  const values = Float64Array.from(
    { length: SIMULATIONS },
    () => gaps.reduce((sum, gap) => sum + gap(), 0) / answers,
  ).sort();
  return { low: quantile(values, 0.025), high: quantile(values, 0.975) };
}

/** Returns a function that draws |right answers − sum of the confidences| of one bin. */
function gapOf(confidences: readonly number[], rng: Rng): () => number {
  if (confidences.length > MOST_DRAWN) {
    const deviation = Math.sqrt(confidences.reduce((sum, each) => sum + each * (1 - each), 0));
    return () => Math.abs(deviation * drawNormal(rng));
  }
  return () => {
    let gap = 0;
    for (const confidence of confidences) gap += (rng.next() < confidence ? 1 : 0) - confidence;
    return Math.abs(gap);
  };
}
