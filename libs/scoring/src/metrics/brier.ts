import type { ExampleMetric } from '../metric.js';
import { goldLabel } from './label-probabilities.js';

const WORST = 2;

/**
 * Brier score summed over the labels (Brier 1950): squared distance of the probabilities from certainty of the gold, 0 to 2. Of several
 * acceptable labels, the one that was given the highest probability. A tolerated bad answer has the worst score, that of a certain mistake;
 * an answer without probabilities has none (NaN).
 */
export const brier: ExampleMetric = {
  name: 'brier',
  version: 1,
  direction: 'lower',
  range: [0, WORST],
  unit: 'ratio',
  outputTypes: ['label'],
  needs: 'probabilities',
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, probabilities = null, context = { labels: [] }) => {
    if (probabilities === null) return predicted === null ? WORST : NaN;

    const expected = goldLabel(gold, probabilities, context);
    let sum = expected === -1 ? 1 : 0;
    for (let label = 0; label < probabilities.length; label++) {
      sum += (probabilities[label]! - (label === expected ? 1 : 0)) ** 2;
    }
    // they may sum to a thousandth more than 1
    return Math.min(WORST, sum);
  },
  fromShares: (shares) => 1 - shares.reduce((sum, share) => sum + share * share, 0),
};
