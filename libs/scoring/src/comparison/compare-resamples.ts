import type { Estimate } from '../estimate.js';
import { quantile } from '../intervals/bootstrap.js';
import { mean } from '../intervals/cluster-standard-error.js';
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
  const value = a.value - b.value;
  const drawn = Float64Array.from(a.resamples, (each, draw) => each - b.resamples[draw]!)
    .filter((each) => !Number.isNaN(each))
    .sort();
  if (drawn.length < 2) {
    return { difference: { value, low: null, high: null, standardError: null }, p: null, detectable: null };
  }
  const standardError = deviationOf(drawn);
  return {
    difference: { value, low: quantile(drawn, 0.025), high: quantile(drawn, 0.975), standardError },
    p: standardError === 0 ? null : twoSidedNormal(value / standardError),
    detectable: DETECTABLE * standardError,
  };
}

function deviationOf(values: Float64Array): number {
  const average = mean(values);
  const squares = values.reduce((sum, each) => sum + (each - average) ** 2, 0);
  return Math.sqrt(squares / (values.length - 1));
}
