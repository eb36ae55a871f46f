import { defineMetric } from '../metric.js';
import { ranksOf } from './label-ranks.js';

/**
 * Cohen's kappa with quadratic weights (Cohen 1968), over the labels in the order of the task:
 * scikit-learn's `cohen_kappa_score(weights="quadratic")`. If there are several acceptable labels,
 * the gold is the one nearest to the answer (of equally near ones, the first). A tolerated bad
 * answer counts as the label farthest from the first gold. Undefined (NaN), as in scikit-learn, if
 * all golds and all answers are the same label.
 */
export const quadraticKappa = defineMetric({
  name: 'quadratic_kappa',
  version: 1,
  label: 'quadratic kappa',
  description:
    'Quadratic weighted kappa: the agreement of predicted and gold labels on an ordered scale, where an error costs the square of its distance. 100% is perfect, 0 is chance level, and below 0 is worse than chance.',
  unit: 'ratio',
  direction: 'higher',
  range: [-1, 1],
  outputs: ['label'],
  formula: [
    '1 − Σ observed(i, j) · (i − j)² ÷ Σ expected(i, j) · (i − j)²',
    'expected(i, j) = examples with gold i · examples with prediction j ÷ examples',
  ],
  notes: ['The scale is the list of labels in the task, so that order matters. Neighbours are one step apart.'],
  source: 'Cohen 1968; scikit-learn: cohen_kappa_score(weights="quadratic")',
  kind: 'sums',
  // the squared distance, then how often each label is gold, and how often it is answered
  width: ({ labels }) => 1 + 2 * labels.length,
  contribute: ({ gold, predicted }, into, offset, { labels }) => {
    const [expected, answered] = ranksOf(gold, predicted, labels);
    into[offset] = (expected - answered) ** 2;
    into[offset + 1 + expected] = 1;
    into[offset + 1 + labels.length + answered] = 1;
  },
  fromSums: (sums, { labels }) => {
    const gold = momentsOf(sums.subarray(1, 1 + labels.length));
    const answered = momentsOf(sums.subarray(1 + labels.length));
    // n times the expected sum: exactly 0 if there is only one label, as no division rounds it
    const chance = gold.n * (gold.squares + answered.squares) - 2 * gold.sum * answered.sum;
    return 1 - (gold.n * sums[0]!) / chance;
  },
  // a model that knows only the shares agrees as often as by chance
  fromShares: () => 0,
});

/** Returns the number of examples, and the sums of their places and squared places. */
function momentsOf(counts: Float64Array): { readonly n: number; readonly sum: number; readonly squares: number } {
  let n = 0;
  let sum = 0;
  let squares = 0;
  for (let place = 0; place < counts.length; place++) {
    n += counts[place]!;
    sum += counts[place]! * place;
    squares += counts[place]! * place ** 2;
  }
  return { n, sum, squares };
}
