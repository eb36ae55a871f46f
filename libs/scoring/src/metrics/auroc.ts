import type { ColumnsMetric } from '../metric.js';
import { goldLabel } from './label-probabilities.js';

/**
 * Area under the ROC curve, each label against the rest, mean over the labels: scikit-learn's
 * `roc_auc_score(multi_class="ovr", average="macro")`; with two labels the area of either. Undefined (NaN) where a label of the task is gold of
 * no example or of all, as scikit-learn refuses it, and where an answer has no probabilities. Of several acceptable labels, the one that was
 * given the highest probability is gold. A tolerated bad answer ranks behind all others: its gold below, the other labels above everything.
 */
export const auroc: ColumnsMetric = {
  name: 'auroc',
  version: 1,
  direction: 'higher',
  range: [0, 1],
  unit: 'ratio',
  outputTypes: ['label'],
  needs: 'probabilities',
  kind: 'columns',
  // the gold's place among the labels, then their probabilities
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
};

/** Area of one label against the rest: the share of pairs (gold, other) in which the gold has the higher probability; of equals, half. */
function areaOf(columns: Float64Array, n: number, width: number, label: number) {
  const score = (row: number): number => columns[row * width + 1 + label]!;
  const rows = Uint32Array.from({ length: n }, (_, row) => row).sort((a, b) => compare(score(a), score(b)));
  const isGold = Uint8Array.from(rows, (row) => (columns[row * width] === label ? 1 : 0));
  const endsTie = Uint8Array.from(rows, (row, at) => (at === n - 1 || score(row) !== score(rows[at + 1]!) ? 1 : 0));

  return (times: ArrayLike<number>): number => {
    let wins = 0;
    let golds = 0;
    let others = 0;
    let tiedGolds = 0;
    let tiedOthers = 0;
    for (let at = 0; at < n; at++) {
      const count = times[rows[at]!]!;
      if (isGold[at] === 1) tiedGolds += count;
      else tiedOthers += count;
      if (endsTie[at] === 0) continue;
      wins += tiedGolds * (others + tiedOthers / 2);
      golds += tiedGolds;
      others += tiedOthers;
      tiedGolds = 0;
      tiedOthers = 0;
    }
    // 0 / 0 is NaN
    return wins / (golds * others);
  };
}

// infinities have no difference
const compare = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0);
