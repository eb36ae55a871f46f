import type { ExampleMetric } from '../metric.js';
import { goldLabel, LEAST_PROBABILITY } from './label-probabilities.js';

const WORST = -Math.log(LEAST_PROBABILITY);

/**
 * Negative natural logarithm of the gold's probability, clipped at 1e-15: scikit-learn's `log_loss`. Probabilities are divided by their sum, which
 * may be a thousandth from 1, so that nobody gains by it. Of several acceptable labels, the one that was given the highest probability. A
 * tolerated bad answer has the worst score, that of a certain mistake; an answer without probabilities has none (NaN).
 */
export const logLoss: ExampleMetric = {
  name: 'log_loss',
  version: 1,
  direction: 'lower',
  range: [0, WORST],
  unit: 'nat',
  outputTypes: ['label'],
  needs: 'probabilities',
  kind: 'mean',
  scores: 'graded',
  perExample: (gold, predicted, probabilities = null, context = { labels: [] }) => {
    if (probabilities === null) return predicted === null ? WORST : NaN;

    const expected = goldLabel(gold, probabilities, context);
    if (expected === -1) return WORST;

    let sum = 0;
    for (let label = 0; label < probabilities.length; label++) sum += probabilities[label]!;
    return Math.log(sum / Math.min(sum, Math.max(probabilities[expected]!, LEAST_PROBABILITY * sum)));
  },
  fromShares: (shares) => shares.reduce((sum, share) => (share > 0 ? sum - share * Math.log(share) : sum), 0),
};
