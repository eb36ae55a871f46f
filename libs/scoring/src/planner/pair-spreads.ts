import { fewestClusters } from '../crossed-clusters.js';
import { pairwiseDifferences } from '../comparison/pairwise-differences.js';
import type { JointAnswers } from '../comparison/joint-answers.js';
import { type PairedSpread, pairedSpread } from './paired-spread.js';

/**
 * Returns the spread of each pair of models in one metric, in the order (0,1), (0,2), …, (1,2), …;
 * null if it cannot be estimated. For a metric that is not a mean of scores, the variance is that of
 * its joint resamples, and neither the design effect nor the relative error is known.
 *
 * @param seed seeds the resamples
 * @param turn awaited after each step of some milliseconds, so that other work can run
 */
export async function pairSpreads(
  answers: JointAnswers,
  metric: string,
  seed: string,
  turn: () => Promise<unknown>,
): Promise<readonly (PairedSpread | null)[]> {
  const scores = Array.from({ length: answers.models }, (_, model) => answers.scoresOf(model).get(metric)?.scores);
  if (scores.every((each) => each === undefined)) return resampledSpreads(answers, metric, seed, turn);
  const clusters = answers.clusters(null);
  const found: (PairedSpread | null)[] = [];
  for (const [place, a] of scores.entries()) {
    for (const b of scores.slice(place + 1)) {
      found.push(a && b ? pairedSpread(a, b, clusters) : null);
      await turn();
    }
  }
  return found;
}

async function resampledSpreads(
  answers: JointAnswers,
  metric: string,
  seed: string,
  turn: () => Promise<unknown>,
): Promise<readonly (PairedSpread | null)[]> {
  const models = Array.from({ length: answers.models }, (_, model) => model);
  const pairs = models.flatMap((one) => models.slice(one + 1).map((other) => [one, other] as const));
  const differences = await pairwiseDifferences(answers, metric, pairs, seed, turn);
  const clusters = answers.clusters(null);
  const units = clusters ? fewestClusters(clusters) : answers.count;
  return differences.map((each) => each && spreadOf(each.difference, answers.count, units));
}

/**
 * Returns the spread of a difference whose standard error is known, such as that of two rounded
 * scores; null if there is none.
 *
 * @param units the number of clusters, or of independent examples
 */
export function spreadOf(
  { value, standardError }: { readonly value: number; readonly standardError?: number | null },
  examples: number,
  units: number,
): PairedSpread | null {
  if (!standardError || !Number.isFinite(standardError)) return null;
  return {
    examples,
    difference: value,
    variance: examples * standardError ** 2,
    designEffect: null,
    relativeError: null,
    freedom: Math.max(1, units - 1),
  };
}
