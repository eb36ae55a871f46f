import { defineMetric } from '../metric.js';
import { goldLabel, LEAST_PROBABILITY } from './label-probabilities.js';

const WORST = -Math.log(LEAST_PROBABILITY);

/**
 * The negative natural logarithm of the gold's probability, clipped at 1e-15: scikit-learn's
 * `log_loss`. Probabilities are divided by their sum, so that a sum that differs from 1 (by up to
 * 0.001) is no advantage. If there are several acceptable labels, the gold is the one with the
 * highest probability. A tolerated bad answer has the worst score, that of a wrong answer given
 * with certainty. An answer without probabilities has none (NaN).
 */
export const logLoss = defineMetric({
  name: 'log_loss',
  version: 1,
  label: 'log loss',
  description: 'The negative logarithm of the probability of the correct label. Confident errors cost most.',
  unit: 'nat',
  direction: 'lower',
  range: [0, WORST],
  outputs: ['label'],
  needs: 'probabilities',
  formula: ['mean of −ln(probability of the correct label), in nats'],
  notes: [
    '0 is perfect. With two labels, always predicting one half gives 0.693. Probabilities below 10⁻¹⁵ count as 10⁻¹⁵.',
  ],
  source: 'scikit-learn: log_loss',
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
});
