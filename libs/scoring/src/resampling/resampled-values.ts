import type { Clusters } from '../estimate.js';
import { RESAMPLES } from './cluster-draws.js';
import { type Drawing, drawingOf } from './drawing.js';
import { meanStatistic, type Statistic } from './statistic.js';
import { atOnce, type Work } from './work.js';

/**
 * The number of draws in one step: some tenths of a second for the most expensive metric on a
 * million examples.
 */
const STEP = 10;

/**
 * Returns the value of each statistic in each of the 1000 draws of clusters. All statistics share
 * the draws.
 */
export function* resampledValues(
  statistics: readonly Statistic[],
  seed: string,
  drawing: Drawing,
): Work<readonly Float64Array[]> {
  const values = statistics.map(() => new Float64Array(RESAMPLES));
  let resample = 0;
  for (const draws of drawing.draws(seed)) {
    for (const [index, statistic] of statistics.entries()) {
      const into = values[index]!;
      for (const [draw, times] of draws.entries()) {
        into[resample + draw] = statistic(times);
        if (draw % STEP === STEP - 1) yield;
      }
    }
    resample += draws.length;
  }
  return values;
}

/**
 * Returns the mean of `scores` in each of the 1000 draws of clusters, or of examples without
 * `clusters`. With the same seed and number of clusters, other models and metrics are resampled by
 * the same draws.
 */
export function meanResamples(scores: ArrayLike<number>, clusters: Clusters | null, seed: string): Float64Array {
  const drawing = drawingOf(clusters, scores.length);
  return atOnce(resampledValues([meanStatistic(scores, drawing.groupOf)], seed, drawing))[0]!;
}
