import { seededRng, type Rng } from '@assay/kernel';
import { meanResamples, score, type Clusters } from '@assay/scoring';
import { comparePaired } from '@assay/scoring/comparison';
import { meanEstimate, proportionEstimate } from '@assay/scoring/intervals';
import { jointRanks } from '@assay/scoring/ranks';

/**
 * How often an interval contained the value of the population from which the examples were drawn.
 */
export interface Coverage {
  readonly what: string;
  /** The number of intervals checked. */
  readonly intervals: number;
  readonly covered: number;
}

export const CLUSTERS = 40;
const LABELS = ['a', 'b', 'c'];
/**
 * The number of clusters in the population. A dataset consists of `CLUSTERS` of them, drawn with
 * replacement.
 */
const POPULATION = 4_000;
/** The probability that each model answers an example of average difficulty correctly. */
const SKILLS = [0.5, 0.56, 0.62, 0.68, 0.74, 0.8, 0.86, 0.92];

/**
 * The gold label of each example, and per model the answer, whether it is correct, and a graded
 * score.
 */
interface Cluster {
  readonly gold: Uint8Array;
  readonly answers: readonly Uint8Array[];
  readonly right: readonly Float64Array[];
  readonly graded: readonly Float64Array[];
}

/**
 * Draws datasets of 40 clusters (3 to 9 examples each, 240 on average) from a population in which
 * the examples of a cluster are alike in difficulty, labels and each model's ability. Counts how
 * often the intervals contain the values of the population. The same seed gives the same counts.
 */
export function coverageTrials(datasets: number, seed: string): readonly Coverage[] {
  const rng = seededRng(seed);
  const population = Array.from({ length: POPULATION }, () => drawCluster(rng));
  const whole = populationValues(population);
  const counts = new Map<string, { intervals: number; covered: number }>();
  const count = (what: string, value: number, { low, high }: { low: number | null; high: number | null }): void => {
    const tally = counts.get(what) ?? { intervals: 0, covered: 0 };
    tally.intervals++;
    if (low !== null && high !== null && low <= value && value <= high) tally.covered++;
    counts.set(what, tally);
  };
  for (let trial = 0; trial < datasets; trial++) {
    const drawn = Array.from({ length: CLUSTERS }, () => population[rng.below(POPULATION)]!);
    tryDataset(drawn, whole, trial, count);
  }
  return Array.from(counts, ([what, tally]) => ({ what, ...tally }));
}

interface Truth {
  readonly accuracy: readonly number[];
  readonly graded: readonly number[];
  readonly macroF1: readonly number[];
  /** Ranks by model, from 1. */
  readonly rank: readonly number[];
}

type Count = (what: string, value: number, interval: { low: number | null; high: number | null }) => void;

function tryDataset(drawn: readonly Cluster[], whole: Truth, trial: number, count: Count): void {
  const clusters = clustersOf(drawn);
  const first = trial % SKILLS.length;
  const second = (first + 1 + (trial % (SKILLS.length - 1))) % SKILLS.length;
  const right = SKILLS.map((_, model) => joined(drawn.map((each) => each.right[model]!)));
  const graded = SKILLS.map((_, model) => joined(drawn.map((each) => each.graded[model]!)));

  count('Wilson, clustered: accuracy', whole.accuracy[first]!, proportionEstimate(right[first]!, clusters));
  count('t, clustered: a graded score', whole.graded[first]!, meanEstimate(graded[first]!, clusters, [0, 1]));
  count('bootstrap of clusters: macro F1', whole.macroF1[first]!, macroF1(drawn, first, clusters, trial));
  for (const [what, scores, truth, binary] of [
    ['paired difference, clustered: right or wrong', right, whole.accuracy, true],
    ['paired difference, clustered: a graded score', graded, whole.graded, false],
  ] as const) {
    const { difference } = comparePaired({
      a: scores[first]!,
      b: scores[second]!,
      binary,
      clusters,
      seed: String(trial),
    });
    count(what, truth[first]! - truth[second]!, difference);
  }
  countRanks(right, clusters, whole, trial, count);
}

function countRanks(
  right: readonly Float64Array[],
  clusters: Clusters,
  whole: Truth,
  trial: number,
  count: Count,
): void {
  const accuracies = right.map((scores) => 100 * mean(scores));
  const order = Array.from(accuracies.keys()).sort((a, b) => accuracies[b]! - accuracies[a]!);
  const intervals = jointRanks({
    scores: order.map((model) => accuracies[model]!),
    resamples: order.map((model) => meanResamples(right[model]!, clusters, String(trial)).map((share) => 100 * share)),
  });
  for (const [place, model] of order.entries()) {
    const { rankLow, rankHigh } = intervals[place]!;
    count('joint rank', whole.rank[model]!, { low: rankLow, high: rankHigh });
  }
}

function macroF1(drawn: readonly Cluster[], model: number, clusters: Clusters, trial: number) {
  const gold = drawn.flatMap((each) => Array.from(each.gold, (label) => [LABELS[label]!]));
  const predicted = drawn.flatMap((each) => Array.from(each.answers[model]!, (label) => LABELS[label]!));
  const options = { output: 'label', labels: LABELS, metrics: ['macro_f1'], seed: String(trial), clusters } as const;
  return score({ gold, predicted }, options).metrics['macro_f1']!;
}

function drawCluster(rng: Rng): Cluster {
  const size = 3 + rng.below(7);
  const difficulty = 0.6 * (rng.next() - 0.5);
  const favourite = rng.below(LABELS.length);
  const liking = SKILLS.map(() => 0.4 * (rng.next() - 0.5));
  const gold = new Uint8Array(size).map(() => (rng.next() < 0.5 ? favourite : drawLabel(rng)));
  const shared = Float64Array.from(gold, () => rng.next());
  const chances = SKILLS.map((skill, model) => Math.min(0.99, Math.max(0.02, skill - difficulty + liking[model]!)));
  // in half of the cases, models share the random number and thus fail on the same examples
  const right = chances.map((chance) =>
    Float64Array.from(gold, (_, index) => ((rng.next() < 0.5 ? shared[index]! : rng.next()) < chance ? 1 : 0)),
  );
  const answers = right.map((row) => gold.map((label, index) => (row[index] === 1 ? label : wrongLabel(label, rng))));
  const graded = chances.map((chance) => Float64Array.from(gold, () => rng.next() ** ((1 - chance) / chance)));
  return { gold, answers, right, graded };
}

/** Draws a label from an uneven distribution: 60, 30 and 10 percent. */
function drawLabel(rng: Rng): number {
  const at = rng.next();
  return at < 0.6 ? 0 : at < 0.9 ? 1 : 2;
}

const wrongLabel = (label: number, rng: Rng): number => (label + 1 + rng.below(LABELS.length - 1)) % LABELS.length;

function populationValues(population: readonly Cluster[]): Truth {
  const accuracy = SKILLS.map((_, model) => mean(joined(population.map((each) => each.right[model]!))));
  const graded = SKILLS.map((_, model) => mean(joined(population.map((each) => each.graded[model]!))));
  const macro = SKILLS.map((_, model) => populationMacroF1(population, model));
  const rank = accuracy.map((value) => 1 + accuracy.filter((other) => other > value).length);
  return { accuracy, graded, macroF1: macro, rank };
}

function populationMacroF1(population: readonly Cluster[], model: number): number {
  const support = LABELS.map(() => 0);
  const predicted = LABELS.map(() => 0);
  const hits = LABELS.map(() => 0);
  for (const { gold, answers } of population) {
    for (const [index, label] of gold.entries()) {
      const answer = answers[model]![index]!;
      support[label]!++;
      predicted[answer]!++;
      if (answer === label) hits[label]!++;
    }
  }
  return mean(LABELS.map((_, label) => (2 * hits[label]!) / (support[label]! + predicted[label]!)));
}

function clustersOf(drawn: readonly Cluster[]): Clusters {
  const of = drawn.flatMap((each, cluster) => new Array<number>(each.gold.length).fill(cluster));
  return { of: Int32Array.from(of), count: drawn.length };
}

function joined(parts: readonly Float64Array[]): Float64Array {
  const all = new Float64Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

const mean = (values: ArrayLike<number>): number => {
  let sum = 0;
  for (let index = 0; index < values.length; index++) sum += values[index]!;
  return sum / values.length;
};
