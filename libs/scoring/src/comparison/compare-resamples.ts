import type { Estimate } from '../estimate.js';
import { plainPercentileEstimate } from '../intervals/bootstrap.js';
import { twoSidedNormal } from '../intervals/normal.js';
import { DETECTABLE } from './compare-paired.js';

/**
 * A figure with its values in the joint bootstrap draws. The k-th value of every model belongs to
 * the same draw.
 */
export interface DrawnFigure {
  readonly value: number;
  readonly resamples: ArrayLike<number>;
}

export interface ResampledComparison {
  readonly difference: Estimate;
  /**
   * The two-sided normal tail of the difference divided by its standard error over the draws; null
   * without spread.
   */
  readonly p: number | null;
  /** The smallest difference that would be found with 80% power: 2.80 · SE. */
  readonly detectable: number | null;
}

/** Compares two models by existing draws: the percentile interval of a − b, draw by draw. */
export function compareResamples(a: DrawnFigure, b: DrawnFigure): ResampledComparison {
  const draws = Float64Array.from(a.resamples, (each, draw) => each - b.resamples[draw]!);
  const difference = plainPercentileEstimate(a.value - b.value, draws);
  const { value, standardError } = difference;
  if (standardError === null) return { difference, p: null, detectable: null };
  const p = standardError === 0 ? null : twoSidedNormal(value / standardError);
  return { difference, p, detectable: DETECTABLE * standardError };
}
