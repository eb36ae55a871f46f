import { defineMetric } from '../metric.js';
import { goldLabel } from './label-probabilities.js';

const WORST = 2;

/**
 * The Brier score summed over the labels (Brier 1950): the squared distance between the
 * probabilities and certainty of the gold, 0 to 2. If there are several acceptable labels, the gold
 * is the one with the highest probability. A tolerated bad answer has the worst score, that of a
 * wrong answer given with certainty. An answer without probabilities has none (NaN).
 */
export const brier = defineMetric({
  name: 'brier',
  version: 1,
  label: 'Brier score',
  description: 'The squared error of the predicted probabilities. Confident errors cost most.',
  unit: 'ratio',
  direction: 'lower',
  range: [0, WORST],
  outputs: ['label'],
  needs: 'probabilities',
  formula: ['mean over the examples of: Σ (probability of a label − 1 if it is correct, else 0)²'],
  notes: ['The best value is 0. The worst is 200%, for a model that is always certain and always wrong.'],
  source: 'Brier 1950',
  hub: { type: 'brier_score' },
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, probabilities = null, context = { labels: [] }) => {
    if (probabilities === null) return predicted === null ? WORST : NaN;

    const expected = goldLabel(gold, probabilities, context);
    let sum = expected === -1 ? 1 : 0;
    for (let label = 0; label < probabilities.length; label++) {
      sum += (probabilities[label]! - (label === expected ? 1 : 0)) ** 2;
    }
    // the probabilities may sum to up to 1.001
    return Math.min(WORST, sum);
  },
  fromShares: (shares) => 1 - shares.reduce((sum, share) => sum + share * share, 0),
});
