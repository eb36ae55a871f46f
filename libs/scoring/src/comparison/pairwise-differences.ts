import { inTurns, type Work } from '../resampling/work.js';
import { compareScores } from './compare-scores.js';
import { compareSets } from './compare-sets.js';
import type { TestedDifference } from './family.js';
import type { JointAnswers } from './joint-answers.js';

/**
 * Returns the differences of pairs of models in one metric, as `compareAnswers` computes them; null
 * if the metric is undefined for either model.
 *
 * @param pairs the numbers of two models each
 * @param seed seeds the draws
 * @param turn awaited after each step of some milliseconds, so that other work can run
 */
export function pairwiseDifferences(
  answers: JointAnswers,
  metric: string,
  pairs: readonly (readonly [number, number])[],
  seed: string,
  turn: () => Promise<unknown>,
): Promise<readonly (TestedDifference | null)[]> {
  return inTurns(differences(answers, metric, pairs, seed), turn);
}

function* differences(
  answers: JointAnswers,
  metric: string,
  pairs: readonly (readonly [number, number])[],
  seed: string,
): Work<readonly (TestedDifference | null)[]> {
  const clusters = answers.clusters(null);
  const found: (TestedDifference | null)[] = [];
  for (const pair of pairs) {
    const [a, b] = pair.map((model) => answers.scoresOf(model).get(metric));
    if (a && b) found.push(compareScores([a, b], { rows: null, clusters, seed }));
    else found.push((yield* compareSets(answers, pair, { rows: null, slice: null }, seed)).get(metric) ?? null);
    yield;
  }
  return found;
}
