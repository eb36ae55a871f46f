import { defineMetric } from '../metric.js';
import { goldLabel } from './label-probabilities.js';
import { sortedColumn } from './sorted-column.js';

/**
 * The area under the ROC curve of each label against the rest, averaged over the labels:
 * scikit-learn's `roc_auc_score(multi_class="ovr", average="macro")`. With two labels it is the
 * area of either label. Undefined (NaN) if a label of the task is the gold of no example or of all
 * examples, which scikit-learn refuses, and if an answer has no probabilities. If there are several
 * acceptable labels, the gold is the one with the highest probability. A tolerated bad answer ranks
 * behind all others: its gold label below everything, its other labels above everything.
 */
export const auroc = defineMetric({
  name: 'auroc',
  version: 1,
  label: 'AUROC',
  description:
    'Area under the ROC curve: how often an example with a label gets a higher probability of that label than an example without it. 100% is perfect, 50% is chance level.',
  unit: 'ratio',
  direction: 'higher',
  range: [0, 1],
  outputs: ['label'],
  needs: 'probabilities',
  formula: [
    'over all pairs of an example with the label and one without: the share in which the first has the higher probability',
    'then the mean over the labels',
  ],
  source: 'scikit-learn: roc_auc_score(multi_class="ovr", average="macro")',
  hub: { type: 'roc_auc' },
  perLabel: true,
  kind: 'columns',
  // the index of the gold label, then the probabilities of all labels
  width: ({ labels }) => 1 + labels.length,
  read: ({ gold, predicted, probabilities }, into, offset, context) => {
    const count = context.labels.length;
    if (predicted === null) {
      const expected = context.labels.indexOf(gold[0]!);
      into[offset] = expected;
      into.fill(Infinity, offset + 1, offset + 1 + count);
      into[offset + 1 + expected] = -Infinity;
      return;
    }
    into[offset] = probabilities ? goldLabel(gold, probabilities, context) : NaN;
    for (let label = 0; label < count; label++) into[offset + 1 + label] = probabilities?.[label] ?? NaN;
  },
  prepare: (columns, n, { labels }) => {
    const width = 1 + labels.length;
    for (let row = 0; row < n; row++) if (Number.isNaN(columns[row * width])) return () => NaN;

    const areas = labels.map((_, label) => areaOf(columns, n, width, label));
    return (times) => areas.reduce((sum, area) => sum + area(times), 0) / areas.length;
  },
  fromShares: () => 0.5,
});

/**
 * Prepares the area of one label against the rest: the share of pairs (gold, other) in which the
 * gold has the higher probability. Ties count half.
 */
function areaOf(columns: Float64Array, n: number, width: number, label: number) {
  const scores = new Float64Array(n);
  for (let row = 0; row < n; row++) scores[row] = columns[row * width + 1 + label]!;
  const { order, endsTie } = sortedColumn(scores);
  const isGold = new Uint8Array(n);
  for (let at = 0; at < n; at++) if (columns[order[at]! * width] === label) isGold[at] = 1;

  return (times: ArrayLike<number>): number => {
    let wins = 0;
    let golds = 0;
    let all = 0;
    let tiedGolds = 0;
    let tied = 0;
    for (let at = 0; at < n; at++) {
      const count = times[order[at]!]!;
      tied += count;
      tiedGolds += count * isGold[at]!;
      if (endsTie[at] === 0) continue;
      wins += tiedGolds * (all - golds + (tied - tiedGolds) / 2);
      golds += tiedGolds;
      all += tied;
      tiedGolds = 0;
      tied = 0;
    }
    // 0 / 0 is NaN
    return wins / (golds * (all - golds));
  };
}
