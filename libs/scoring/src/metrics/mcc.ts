import { total } from '../label-counts.js';
import type { LabelMetric } from '../metric.js';

/**
 * The Matthews correlation coefficient for several labels (Gorodkin 2004); 0 if all gold labels or
 * all answers are the same label.
 */
export const mcc: LabelMetric = {
  name: 'mcc',
  version: 1,
  direction: 'higher',
  range: [-1, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  kind: 'labels',
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
};
