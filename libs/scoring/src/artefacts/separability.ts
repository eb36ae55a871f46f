import { fewestClusters } from '../crossed-clusters.js';
import type { Clusters, Estimate, Partition } from '../estimate.js';
import { crossedStandardError } from '../intervals/bell-mccaffrey.js';
import { clusterSums } from '../intervals/cluster-sums.js';
import { studentT95 } from '../intervals/student-t.js';
import { wilson } from '../intervals/wilson.js';
import type { Work } from '../resampling/work.js';
import { FOLDS, foldsOf } from './folds.js';
import { NaiveBayes } from './naive-bayes.js';

/** The fewest examples of either set, and the fewest clusters. */
const FEWEST_EXAMPLES = 30;
const FEWEST_CLUSTERS = 10;
/** The number of examples between two yields. */
const PAUSE = 200;
/** The factor by which the shared training examples of the folds raise the standard error. */
const SHARED_TRAINING = Math.sqrt(1 + FOLDS / (FOLDS - 1));
const { max, min } = Math;

/**
 * Returns how well a classifier tells two sets of examples apart by their words: the area under its
 * ROC curve (Lopez-Paz and Oquab 2017, "Revisiting Classifier Two-Sample Tests"). 0.5: not at all;
 * 1: always. The classifier is multinomial naive Bayes, trained in five-fold cross-validation whose
 * folds never divide a cluster (of crossed ones, those of the first way). The area is the mean over the folds, weighted by their pairs. Its
 * standard error is that of the placements (DeLong et al. 1988), summed by cluster (Obuchowski 1997), times 1.5,
 * because the classifiers of the folds share examples (Nadeau and Bengio 2003: √(1 + test ÷ training · folds)).
 * A stronger classifier may find more.
 *
 * @param documents the words of each example
 * @param isSecond 1 for the examples of the second set, 0 for those of the first
 * @param clusters null: every example is a cluster
 * @returns null if either set has fewer than 30 examples, or there are fewer than ten clusters
 */
export function* separability(
  documents: readonly (readonly string[])[],
  isSecond: Uint8Array,
  clusters: Clusters | null,
  seed: string,
): Work<Estimate | null> {
  const second = isSecond.reduce((sum, each) => sum + each, 0);
  const fewer = min(second, documents.length - second);
  const units = clusters ? fewestClusters(clusters) : documents.length;
  if (fewer < FEWEST_EXAMPLES || units < FEWEST_CLUSTERS) return null;
  const folds = foldsOf(documents.length, clusters, seed);
  const logOdds = yield* heldOutLogOdds(documents, isSecond, folds);
  const { value, influences } = meanArea(logOdds, isSecond, folds);
  if (Number.isNaN(value)) return null;
  const standardError = SHARED_TRAINING * clusteredError(influences, clusters);
  if (standardError === 0) return { value, ...wilson(value, min(fewer, units)), standardError: null };
  const half = studentT95(units - 1) * standardError;
  return { value, low: max(0, value - half), high: min(1, value + half), standardError };
}

/** Returns the log odds of the second set for each example, by a classifier that did not see its fold. */
function* heldOutLogOdds(
  documents: readonly (readonly string[])[],
  isSecond: Uint8Array,
  folds: Uint8Array,
): Work<Float64Array> {
  const logOdds = new Float64Array(documents.length);
  for (let fold = 0; fold < FOLDS; fold++) {
    const model = new NaiveBayes(2);
    for (const [example, document] of documents.entries()) {
      if (folds[example] !== fold) model.learn(document, isSecond[example]!);
      if (example % PAUSE === 0) yield;
    }
    for (const [example, document] of documents.entries()) {
      if (example % PAUSE === 0) yield;
      if (folds[example] !== fold) continue;
      const [first, second] = model.logs(document);
      logOdds[example] = second! - first!;
    }
  }
  return logOdds;
}

/**
 * Returns the mean area over the folds, and how much each example moves it. NaN if no fold has examples
 * of both sets.
 */
function meanArea(
  logOdds: Float64Array,
  isSecond: Uint8Array,
  folds: Uint8Array,
): { readonly value: number; readonly influences: Float64Array } {
  const influences = new Float64Array(logOdds.length);
  const areas: { readonly pairs: number; readonly area: number; readonly placements: ReadonlyMap<number, number> }[] =
    [];
  const sizes: (readonly [first: number, second: number])[] = [];
  for (let fold = 0; fold < FOLDS; fold++) {
    const members = Array.from(folds.keys()).filter((example) => folds[example] === fold);
    const second = members.filter((example) => isSecond[example] === 1).length;
    const first = members.length - second;
    if (first === 0 || second === 0) continue;
    const placements = placementsOf(members, logOdds, isSecond, [first, second]);
    let sum = 0;
    for (const [example, placement] of placements) if (isSecond[example] === 1) sum += placement;
    areas.push({ pairs: first * second, area: sum / second, placements });
    sizes.push([first, second]);
  }
  const pairs = areas.reduce((sum, each) => sum + each.pairs, 0);
  for (const [index, { pairs: own, area, placements }] of areas.entries()) {
    for (const [example, placement] of placements) {
      influences[example] = ((placement - area) / sizes[index]![isSecond[example]!]!) * (own / pairs);
    }
  }
  return { value: areas.reduce((sum, each) => sum + each.area * each.pairs, 0) / pairs, influences };
}

/**
 * Returns by example the share of the other set that it is on the right side of; equal log odds count
 * as half.
 */
function placementsOf(
  members: readonly number[],
  logOdds: Float64Array,
  isSecond: Uint8Array,
  [first, second]: readonly [number, number],
): ReadonlyMap<number, number> {
  const order = members.toSorted((a, b) => logOdds[a]! - logOdds[b]!);
  const placements = new Map<number, number>();
  let firstBelow = 0;
  let secondBelow = 0;
  for (let start = 0; start < order.length;) {
    let end = start;
    let equalSecond = 0;
    while (end < order.length && logOdds[order[end]!] === logOdds[order[start]!]) {
      equalSecond += isSecond[order[end]!]!;
      end++;
    }
    const equalFirst = end - start - equalSecond;
    for (const example of order.slice(start, end)) {
      const placement = isSecond[example]
        ? (firstBelow + equalFirst / 2) / first
        : 1 - (secondBelow + equalSecond / 2) / second;
      placements.set(example, placement);
    }
    firstBelow += equalFirst;
    secondBelow += equalSecond;
    start = end;
  }
  return placements;
}

/** Returns the standard error of the area. Crossed clusters are combined as in `crossedError`. */
function clusteredError(influences: Float64Array, clusters: Clusters | null): number {
  if (!clusters?.crossed) return errorOver(influences, clusters);
  const { second, both } = clusters.crossed;
  return crossedStandardError(
    errorOver(influences, clusters),
    errorOver(influences, second),
    errorOver(influences, both),
  );
}

function errorOver(influences: Float64Array, clusters: Partition | null): number {
  const sums = clusters ? clusterSums(influences, clusters) : influences;
  const squares = sums.reduce((sum, each) => sum + each ** 2, 0);
  return Math.sqrt((squares * sums.length) / (sums.length - 1));
}
