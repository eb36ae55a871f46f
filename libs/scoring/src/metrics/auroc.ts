import { defineMetric } from '../metric.js';
import { goldLabel } from './label-probabilities.js';
import type { PreparedPair } from '../resampling/statistic.js';
import { type SortedColumn, sortedColumn } from './sorted-column.js';

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
    if (!areKnown(columns, n, labels.length)) return () => NaN;

    const areas = labels.map((_, label) => areaOf(columns, n, labels.length, label));
    return (times) => areas.reduce((sum, area) => sum + area(times), 0) / areas.length;
  },
  preparePair: (columns, n, { labels }) => {
    if (!areKnown(columns, n, labels.length)) {
      return (_, a, b) => {
        a[0] = NaN;
        b[0] = NaN;
      };
    }
    const areas = labels.map((_, label) => pairAreasOf(columns, n, labels.length, label));
    const [sumOfA, sumOfB] = [new Float64Array(1), new Float64Array(1)];
    return (times, a, b) => {
      sumOfA[0] = 0;
      sumOfB[0] = 0;
      for (const addAreas of areas) addAreas(times, sumOfA, sumOfB);
      a[0] = sumOfA[0] / areas.length;
      b[0] = sumOfB[0] / areas.length;
    };
  },
  fromShares: () => 0.5,
});

const widthOf = (labels: number): number => 1 + labels;

/** Returns whether the gold label of every example is known. */
function areKnown(columns: Float64Array, n: number, labels: number): boolean {
  for (let row = 0; row < n; row++) if (Number.isNaN(columns[row * widthOf(labels)])) return false;
  return true;
}

/** The examples in the order of their probabilities of one label. */
interface SortedLabel extends SortedColumn {
  /** Per position in the order: 1 if the example's gold is the label. */
  readonly isGold: Uint8Array;
}

function sortedLabel(columns: Float64Array, n: number, labels: number, label: number): SortedLabel {
  const width = widthOf(labels);
  const scores = new Float64Array(n);
  for (let row = 0; row < n; row++) scores[row] = columns[row * width + 1 + label]!;
  const { order, endsTie } = sortedColumn(scores);
  const isGold = new Uint8Array(n);
  for (let at = 0; at < n; at++) if (columns[order[at]! * width] === label) isGold[at] = 1;
  return { order, endsTie, isGold };
}

/**
 * Prepares the area of one label against the rest: the share of pairs (gold, other) in which the
 * gold has the higher probability. Ties count half.
 */
function areaOf(columns: Float64Array, n: number, labels: number, label: number) {
  const { order, endsTie, isGold } = sortedLabel(columns, n, labels, label);

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

/**
 * Prepares the areas of two models, which are added to the first numbers of `a` and `b`. One pass
 * counts both models, without a branch that depends on the draw. Ties count half: the area is the
 * mean of its values with the golds of each tie before and after the others.
 */
function pairAreasOf(columns: Float64Array, n: number, labels: number, label: number): PreparedPair {
  const sorted = sortedLabel(columns, n, labels, label);
  const orders = sorted.endsTie.includes(0) ? [tiesFirst(sorted, 1), tiesFirst(sorted, 0)] : [sorted];

  return (times, a, b) => {
    let winsOfA = 0;
    let winsOfB = 0;
    let goldsOfA = 0;
    let goldsOfB = 0;
    let othersOfA = 0;
    let othersOfB = 0;
    for (const { order, isGold } of orders) {
      goldsOfA = goldsOfB = othersOfA = othersOfB = 0;
      for (let at = 0; at < n; at++) {
        const count = times[order[at]!]!;
        const signs = count >> 31;
        const ofA = count & ~signs;
        const ofB = -count & signs;
        if (isGold[at] === 1) {
          winsOfA += ofA * othersOfA;
          winsOfB += ofB * othersOfB;
          goldsOfA += ofA;
          goldsOfB += ofB;
        } else {
          othersOfA += ofA;
          othersOfB += ofB;
        }
      }
    }
    // 0 / 0 is NaN
    a[0]! += winsOfA / orders.length / (goldsOfA * othersOfA);
    b[0]! += winsOfB / orders.length / (goldsOfB * othersOfB);
  };
}

/** Returns the order in which the examples with `gold` come before the others of their tie. */
function tiesFirst({ order, endsTie, isGold }: SortedLabel, gold: 0 | 1): Pick<SortedLabel, 'order' | 'isGold'> {
  const moved = { order: order.slice(), isGold: isGold.slice() };
  let place = 0;
  for (let first = 0; first < order.length; first = place) {
    const end = endsTie.indexOf(1, first) + 1;
    for (const value of [gold, 1 - gold]) {
      for (let at = first; at < end; at++) {
        if (isGold[at] !== value) continue;
        moved.order[place] = order[at]!;
        moved.isGold[place++] = value;
      }
    }
  }
  return moved;
}
