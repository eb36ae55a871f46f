import type { ExampleMetric } from '../metric.js';
import { goldLabel, LEAST_PROBABILITY } from './label-probabilities.js';

const WORST = -Math.log(LEAST_PROBABILITY);

/**
 * The negative natural logarithm of the gold's probability, clipped at 1e-15: scikit-learn's
 * `log_loss`. Probabilities are divided by their sum, so that a sum that differs from 1 (by up to
 * 0.001) is no advantage. If there are several acceptable labels, the gold is the one with the
 * highest probability. A tolerated bad answer has the worst score, that of a wrong answer given
 * with certainty. An answer without probabilities has none (NaN).
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
