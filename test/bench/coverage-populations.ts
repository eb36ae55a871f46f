import { seededRng, type Rng } from '@assay/kernel';
import { crossedClusters, score, type Clusters } from '@assay/scoring';
import { meanEstimate, proportionEstimate, wilson } from '@assay/scoring/intervals';

/** The value of one dataset with its interval; null ends if none is given. */
interface Interval {
  readonly value: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** A population from which datasets are drawn, with the true value of a metric. */
export interface Population {
  readonly what: string;
  readonly truth: number;
  /** Draws a dataset and returns the interval of its value. */
  readonly interval: (rng: Rng, seed: string) => Interval;
  /** The reference width; null where a plain Wilson interval does not exist. */
  readonly reference: 'wilson' | 'effective wilson' | null;
  /** The number of examples in a dataset. */
  readonly examples: number;
  /** The coverage in percent before the present methods, where it was measured. */
  readonly before?: number;
}

/** How often the intervals of datasets from one population contain the true value. */
export interface PopulationCoverage {
  readonly what: string;
  /** The number of examples in a dataset. */
  readonly examples: number;
  readonly datasets: number;
  /** Datasets for which an interval was given. */
  readonly intervals: number;
  readonly covered: number;
  /** Intervals of zero width. */
  readonly pointlike: number;
  /** Mean width of the intervals; null without any. */
  readonly meanWidth: number | null;
  /**
   * Mean width divided by that of a plain Wilson interval of the true value. With clusters, that
   * interval has the effective size which the spread of the values over all datasets implies. Null
   * where a plain Wilson interval does not exist.
   */
  readonly width: number | null;
  /** True where the width has a goal: an independent proportion or graded score. */
  readonly isComparable: boolean;
  /** The coverage in percent before the present methods; null where it was not measured. */
  readonly before: number | null;
}

/**
 * Draws datasets from each population. The same seed gives the same counts.
 * @param datasets how many datasets are drawn. If only some have an interval, more are drawn until
 *   as many intervals are given.
 * @param most the most datasets that are drawn
 */
export function populationCoverage(
  populations: readonly Population[],
  datasets: number,
  seed: string,
  most = datasets,
): readonly PopulationCoverage[] {
  return populations.map((population) => {
    const rng = seededRng(`${seed}/${population.what}`);
    const found: Interval[] = [];
    const given: { readonly low: number; readonly high: number }[] = [];
    while (found.length < datasets || (given.length > 0 && given.length < datasets && found.length < most)) {
      const drawn = population.interval(rng, String(found.length));
      const { low, high } = drawn;
      found.push(drawn);
      if (low !== null && high !== null) given.push({ low, high });
    }
    const { truth } = population;
    const meanWidth = mean(given.map(({ low, high }) => high - low));
    const reference = referenceWidth(
      population,
      found.map(({ value }) => value),
    );
    return {
      what: population.what,
      examples: population.examples,
      datasets: found.length,
      intervals: given.length,
      covered: given.filter(({ low, high }) => low <= truth && truth <= high).length,
      pointlike: given.filter(({ low, high }) => low === high).length,
      meanWidth: given.length === 0 ? null : meanWidth,
      width: reference === null || given.length === 0 ? null : meanWidth / reference,
      isComparable: population.reference === 'wilson',
      before: population.before ?? null,
    };
  });
}

function referenceWidth({ reference, truth, examples }: Population, values: readonly number[]): number | null {
  if (reference === null) return null;
  const variance = mean(values.map((value) => (value - truth) ** 2));
  const size = reference === 'wilson' ? examples : (truth * (1 - truth)) / variance;
  const { low, high } = wilson(truth, size);
  return high - low;
}

const SHARES = [0.6, 0.3, 0.1];

/** The populations whose intervals once covered too rarely, and plain ones to compare them with. */
export const populations = (): readonly Population[] => [
  ...[20, 100].map((n) => independentProportion(n, 0.9)),
  before(gradedNearCeiling(10), 37.6),
  before(gradedNearCeiling(30), 70.3),
  before(gradedNearCeiling(100), 88.6),
  before(gradedNearCeiling(300), 92.8),
  before(unevenAnnotators(3), 77),
  before(unevenAnnotators(5), 85.3),
  before(unevenAnnotators(10), 87.6),
  before(unevenAnnotators(30), 88.3),
  before(oneLargeCluster(), 75.5),
  ...ROUNDS.flatMap((round) => [roundAccuracy(round), roundGraded(round)]),
  ...ROUNDS.filter(({ examples }) => examples < 500).map(roundMacroF1),
  macroF1(30, 0.75),
  macroF1(60, 0.75),
  macroF1(50, 0.97),
  macroF1(100, 0.97),
  macroF1(200, 0.75),
  before(balancedAccuracy(60), 81.8),
  balancedAccuracy(100),
  balancedAccuracy(200),
  before(auroc(60), 85.6),
  auroc(100),
  auroc(200),
  ...[10, 30, 100].map(rootMeanSquaredError),
  ...[30, 100].map(wordErrorRate),
];

const before = (population: Population, share: number): Population => ({ ...population, before: share });

function independentProportion(n: number, truth: number): Population {
  return {
    what: `accuracy, ${n} independent examples`,
    truth,
    examples: n,
    reference: 'wilson',
    interval: (rng) =>
      proportionEstimate(
        Array.from({ length: n }, () => (rng.next() < truth ? 1 : 0)),
        null,
      ),
  };
}

/** Graded scores of which 95% are 1 and the rest is uniform. */
function gradedNearCeiling(n: number): Population {
  return {
    what: `graded scores near the ceiling, ${n} examples`,
    truth: 0.975,
    examples: n,
    reference: 'wilson',
    interval: (rng) =>
      meanEstimate(
        Array.from({ length: n }, () => (rng.next() < 0.95 ? 1 : rng.next())),
        null,
        [0, 1],
      ),
  };
}

/** Annotators whose shares of the examples fall like 1, 1/2, 1/3, …, and whose success rates differ. */
function unevenAnnotators(annotators: number): Population {
  const examples = Math.max(100, 10 * annotators);
  const harmonic = Array.from({ length: annotators }, (_, place) => 1 / (place + 1));
  const sum = harmonic.reduce((before, each) => before + each, 0);
  const sizes = harmonic.map((share) => Math.max(1, Math.round((examples * share) / sum)));
  return clusteredProportion(`vMER, ${annotators} uneven annotators`, sizes);
}

function oneLargeCluster(): Population {
  return clusteredProportion('accuracy, one of 20 clusters has half of the examples', [
    100,
    ...new Array<number>(19).fill(5),
  ]);
}

/** The rates of clusters have a Beta(3, 6) distribution: a third, with a correlation of 0.1 within a cluster. */
function clusteredProportion(what: string, sizes: readonly number[]): Population {
  const of = Int32Array.from(sizes.flatMap((size, cluster) => new Array<number>(size).fill(cluster)));
  const clusters: Clusters = { of, count: sizes.length };
  return {
    what,
    truth: 1 / 3,
    examples: of.length,
    reference: 'effective wilson',
    interval: (rng) => {
      const rates = sizes.map(() => betaDraw(rng));
      return proportionEstimate(
        Array.from(of, (cluster) => (rng.next() < rates[cluster]! ? 1 : 0)),
        clusters,
      );
    },
  };
}

/** Returns a draw from Beta(3, 6): the third smallest of eight uniform numbers. */
const betaDraw = (rng: Rng): number => Array.from({ length: 8 }, () => rng.next()).toSorted((a, b) => a - b)[2]!;

/** A collected round, whose examples are clustered by annotator and by context. */
interface CollectedRound {
  readonly annotators: number;
  readonly contexts: number;
  readonly examples: number;
}

const ROUNDS: readonly CollectedRound[] = [
  { annotators: 10, contexts: 40, examples: 300 },
  { annotators: 30, contexts: 100, examples: 1_000 },
  { annotators: 40, contexts: 15, examples: 400 },
];
/** The share of right answers in collected rounds. */
const ROUND_SKILL = 0.7;

interface DrawnRound {
  readonly clusters: Clusters;
  /** True for each example that the model answers correctly. */
  readonly right: readonly boolean[];
}

/**
 * Draws a round. Annotators' shares of the examples fall like 1, 1/2, 1/3, …, and contexts are drawn
 * at random. The share of right answers differs by up to 20 points between an annotator and the
 * mean, and by up to 10 points between a context and the mean.
 */
function drawRound({ annotators, contexts, examples }: CollectedRound, rng: Rng): DrawnRound {
  const harmonic = Array.from({ length: annotators }, (_, place) => 1 / (place + 1));
  const sum = harmonic.reduce((before, each) => before + each, 0);
  const shares = harmonic.map((share) => share / sum);
  const annotator = new Int32Array(examples).map(() => labelDraw(shares, rng));
  const context = new Int32Array(examples).map(() => rng.below(contexts));
  const ofAnnotator = Array.from({ length: annotators }, () => 0.4 * (rng.next() - 0.5));
  const ofContext = Array.from({ length: contexts }, () => 0.2 * (rng.next() - 0.5));
  return {
    clusters: crossedClusters(dense(annotator), dense(context)),
    right: Array.from(
      annotator,
      (writer, example) => rng.next() < ROUND_SKILL + ofAnnotator[writer]! + ofContext[context[example]!]!,
    ),
  };
}

/** Numbers the groups that occur. */
function dense(of: Int32Array): Clusters {
  const numbers = new Map(Array.from(new Set(of), (group, number) => [group, number]));
  return { of: of.map((group) => numbers.get(group)!), count: numbers.size };
}

const roundName = ({ annotators, contexts, examples }: CollectedRound): string =>
  `${examples} examples of ${annotators} annotators on ${contexts} contexts`;

function roundAccuracy(round: CollectedRound): Population {
  return {
    what: `accuracy, ${roundName(round)}`,
    truth: ROUND_SKILL,
    examples: round.examples,
    reference: 'effective wilson',
    interval: (rng) => {
      const { clusters, right } = drawRound(round, rng);
      return proportionEstimate(
        right.map((each) => (each ? 1 : 0)),
        clusters,
      );
    },
  };
}

/** A right answer scores 1, a wrong one uniformly between 0 and 1. */
function roundGraded(round: CollectedRound): Population {
  return {
    what: `graded scores, ${roundName(round)}`,
    truth: ROUND_SKILL + (1 - ROUND_SKILL) / 2,
    examples: round.examples,
    reference: 'effective wilson',
    interval: (rng) => {
      const { clusters, right } = drawRound(round, rng);
      return meanEstimate(
        right.map((each) => (each ? 1 : rng.next())),
        clusters,
        [0, 1],
      );
    },
  };
}

function roundMacroF1(round: CollectedRound): Population {
  const labels = ['a', 'b', 'c'];
  return {
    what: `macro F1, ${roundName(round)}`,
    truth: macroF1Of(ROUND_SKILL),
    examples: round.examples,
    reference: null,
    interval: (rng, seed) => {
      const { clusters, right } = drawRound(round, rng);
      const gold = right.map(() => labelDraw(SHARES, rng));
      const predicted = gold.map((label, example) => labels[right[example] ? label : (label + 1 + rng.below(2)) % 3]!);
      const scored = { gold: gold.map((label) => [labels[label]!]), predicted };
      return estimateOf('macro_f1', score(scored, { output: 'label', labels, metrics: ['macro_f1'], seed, clusters }));
    },
  };
}

/** Three labels with shares of 60, 30 and 10%; a wrong answer is any other label. */
function macroF1(n: number, skill: number): Population {
  const labels = ['a', 'b', 'c'];
  return labelPopulation(`macro F1, ${n} examples, accuracy ${skill}`, 'macro_f1', n, {
    labels,
    shares: SHARES,
    truth: macroF1Of(skill),
    answer: (gold, rng) => (rng.next() < skill ? gold : (gold + 1 + rng.below(2)) % 3),
  });
}

/** Returns the true macro F1 of a model with this share of right answers, on such labels. */
function macroF1Of(skill: number): number {
  const answered = SHARES.map((share) => share * skill + ((1 - share) * (1 - skill)) / 2);
  return mean(SHARES.map((share, label) => (2 * share * skill) / (share + answered[label]!)));
}

/** Two labels, of which one has 10% of the examples and is recognised in 70% of the cases. */
function balancedAccuracy(n: number): Population {
  const recalls = [0.95, 0.7];
  return labelPopulation(`balanced accuracy, ${n} examples, 10% positive`, 'balanced_accuracy', n, {
    labels: ['a', 'b'],
    shares: [0.9, 0.1],
    truth: mean(recalls),
    answer: (gold, rng) => (rng.next() < recalls[gold]! ? gold : 1 - gold),
  });
}

interface LabelSetting {
  readonly labels: readonly string[];
  readonly shares: readonly number[];
  readonly truth: number;
  readonly answer: (gold: number, rng: Rng) => number;
}

function labelPopulation(what: string, metric: string, n: number, setting: LabelSetting): Population {
  const { labels, shares, truth, answer } = setting;
  return {
    what,
    truth,
    examples: n,
    reference: null,
    interval: (rng, seed) => {
      const gold = Array.from({ length: n }, () => labelDraw(shares, rng));
      const predicted = gold.map((label) => labels[answer(label, rng)]!);
      const scored = { gold: gold.map((label) => [labels[label]!]), predicted };
      return estimateOf(metric, score(scored, { output: 'label', labels, metrics: [metric], seed }));
    },
  };
}

/** Two labels with 10% positives. Their scores are normal, and 1.5 standard deviations apart. */
function auroc(n: number): Population {
  const labels = ['a', 'b'];
  return {
    what: `AUROC, ${n} examples, 10% positive`,
    // Φ(1.5 / √2)
    truth: 0.8555778168267576,
    examples: n,
    reference: null,
    interval: (rng, seed) => {
      const gold = Array.from({ length: n }, () => labelDraw([0.9, 0.1], rng));
      const probabilities = gold.map((label) => {
        const positive = 1 / (1 + Math.exp(-(normalDraw(rng) + 1.5 * label)));
        return [1 - positive, positive];
      });
      const predicted = probabilities.map(([, positive]) => labels[positive! > 0.5 ? 1 : 0]!);
      const scored = { gold: gold.map((label) => [labels[label]!]), predicted, probabilities };
      return estimateOf('auroc', score(scored, { output: 'label', labels, metrics: ['auroc'], seed }));
    },
  };
}

/** Standard normal errors. */
function rootMeanSquaredError(n: number): Population {
  return {
    what: `RMSE, ${n} examples`,
    truth: 1,
    examples: n,
    reference: null,
    interval: (rng, seed) => {
      const errors = Array.from({ length: n }, () => normalDraw(rng));
      const scored = { gold: errors.map(() => ['0']), predicted: errors.map(String) };
      return estimateOf('rmse', score(scored, { output: 'number', metrics: ['rmse'], seed }));
    },
  };
}

/** Sentences of 5 to 14 words. Each has a wrong word with 5%, and one in ten has 40% wrong words. */
function wordErrorRate(n: number): Population {
  return {
    what: `word error rate, ${n} examples`,
    truth: 0.9 * 0.05 + 0.1 * 0.4,
    examples: n,
    reference: null,
    interval: (rng, seed) => {
      const references = Array.from({ length: n }, () =>
        Array.from({ length: 5 + rng.below(10) }, (_, place) => `w${place}`),
      );
      const predicted = references.map((words) => {
        const rate = rng.next() < 0.9 ? 0.05 : 0.4;
        return words.map((word) => (rng.next() < rate ? 'x' : word)).join(' ');
      });
      const scored = { gold: references.map((words) => [words.join(' ')]), predicted };
      return estimateOf('wer', score(scored, { output: 'text', metrics: ['wer'], seed }));
    },
  };
}

function estimateOf(name: string, { metrics }: ReturnType<typeof score>): Interval {
  return metrics[name] ?? { value: NaN, low: null, high: null };
}

function labelDraw(shares: readonly number[], rng: Rng): number {
  let left = rng.next();
  for (const [label, share] of shares.entries()) {
    left -= share;
    if (left < 0) return label;
  }
  return shares.length - 1;
}

const normalDraw = (rng: Rng): number => Math.sqrt(-2 * Math.log(1 - rng.next())) * Math.cos(2 * Math.PI * rng.next());

const mean = (values: readonly number[]): number => values.reduce((sum, each) => sum + each, 0) / values.length;
