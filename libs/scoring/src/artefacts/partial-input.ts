import type { Clusters, Estimate } from '../estimate.js';
import { proportionEstimate } from '../intervals/index.js';
import type { Work } from '../resampling/work.js';
import { FOLDS, foldsOf } from './folds.js';
import { NaiveBayes } from './naive-bayes.js';

/** How well labels can be guessed from a part of the input. */
export interface PartialInputBaseline {
  /** The share of examples whose label was guessed. */
  readonly accuracy: Estimate;
  /** The share of the most frequent label, which a guess without any input reaches. */
  readonly majority: number;
}

/** The number of examples between two yields. */
const PAUSE = 200;

/**
 * Guesses the label of each example from the words of a part of its input, for example of the
 * hypothesis alone. A high accuracy shows that a model needs not solve the task (Poliak et al. 2018,
 * "Hypothesis Only Baselines in Natural Language Inference"; Gururangan et al. 2018). The classifier
 * is multinomial naive Bayes with add-one smoothing, trained in five-fold cross-validation whose
 * folds never divide a cluster. A stronger classifier may find more.
 *
 * @param documents the words of each example
 * @param labels the number of each example's label, from 0 to `count` − 1
 * @param clusters null: every example is a cluster
 * @returns null if there are fewer than five clusters or two labels
 */
export function* partialInputBaseline(
  documents: readonly (readonly string[])[],
  { labels, count }: { readonly labels: ArrayLike<number>; readonly count: number },
  clusters: Clusters | null,
  seed: string,
): Work<PartialInputBaseline | null> {
  const examples = Array.from(documents.keys());
  const supports = countsOf(examples, labels, count);
  if ((clusters?.count ?? documents.length) < FOLDS || supports.filter((n) => n > 0).length < 2) return null;
  const folds = foldsOf(documents.length, clusters, seed);
  const right = new Float64Array(documents.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const model = new NaiveBayes(count);
    for (const example of examples) {
      if (folds[example] !== fold) model.learn(documents[example]!, labels[example]!);
      if (example % PAUSE === 0) yield;
    }
    for (const example of examples) {
      if (folds[example] === fold && model.guess(documents[example]!) === labels[example]) right[example] = 1;
      if (example % PAUSE === 0) yield;
    }
  }
  return { accuracy: proportionEstimate(right, clusters), majority: Math.max(...supports) / documents.length };
}

function countsOf(examples: readonly number[], labels: ArrayLike<number>, count: number): number[] {
  const counts = new Array<number>(count).fill(0);
  for (const example of examples) counts[labels[example]!]!++;
  return counts;
}
