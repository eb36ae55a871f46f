import { total } from '../label-counts.js';
import { defineMetric } from '../metric.js';

/**
 * The Matthews correlation coefficient for several labels (Gorodkin 2004); 0 if all gold labels or
 * all answers are the same label.
 */
export const mcc = defineMetric({
  name: 'mcc',
  version: 2,
  label: 'MCC',
  description:
    'Matthews correlation coefficient: the correlation of predicted and gold labels. 100% is perfect, 0 is chance level, and below 0 is worse than chance.',
  unit: 'ratio',
  direction: 'higher',
  range: [-1, 1],
  outputs: ['label'],
  formula: ['the correlation of gold and predicted labels, from their confusion matrix'],
  source: 'Matthews 1975; for several labels Gorodkin 2004',
  hub: { type: 'matthews_correlation' },
  kind: 'labels',
  onSlices: 'gold',
  fromLabels: (counts) => {
    const { n, support, predicted } = counts;
    // unanswered examples count as answered with an extra label
    const unanswered = n - total(predicted);
    let agreement = 0;
    let goldSquares = 0;
    let answerSquares = unanswered * unanswered;
    for (let label = 0; label < support.length; label++) {
      agreement += support[label]! * predicted[label]!;
      goldSquares += support[label]! * support[label]!;
      answerSquares += predicted[label]! * predicted[label]!;
    }
    const spread = Math.sqrt((n * n - goldSquares) * (n * n - answerSquares));
    return spread === 0 ? 0 : (total(counts.hits) * n - agreement) / spread;
  },
});
