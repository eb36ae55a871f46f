import { seededRng, type Rng } from '@assay/kernel';
import { drawNormal } from '@assay/scoring';
import { type BoardMatrix, type MatrixMetric, RankableMatrix } from '@assay/scoring/board';
import { comparePaired } from '@assay/scoring/comparison';
import { jointRanks } from '@assay/scoring/ranks';
import type { Bench, BenchRow } from './bench.js';
import { figure, inTurn, median, range, seconds } from './samples.js';

const DATASETS = 50;
const EXAMPLES = 10_000;
const MODELS = 10_000;
/** The rows of a board whose ranks are resampled, and the number of resamples of each. */
const PLACES = 400;
const DRAWS = 1_000;
/**
 * The number of calls whose median is one sample. As many calls precede them to warm up the
 * compiler.
 */
const CALLS = 200;

const METRICS: readonly MatrixMetric[] = [
  { name: 'accuracy', unit: 'ratio', direction: 'higher', isScore: true },
  { name: 'macro_f1', unit: 'ratio', direction: 'higher', isScore: true },
  { name: 'fairness', unit: 'ratio', direction: 'higher', isScore: true },
  { name: 'robustness', unit: 'ratio', direction: 'higher', isScore: true },
  { name: 'throughput', unit: 'examples/s', direction: 'higher', isScore: false },
  { name: 'memory', unit: 'GiB', direction: 'lower', limit: 16, isScore: false },
];

/** Ranking, as the API and the browser do it on a board in memory as columns, on one core. */
export const rankingBench: Bench = {
  name: 'ranking',
  async run(context) {
    const rounds = context.rounds ?? (context.quick ? 2 : 9);
    const rng = seededRng('ranking');
    const matrix = boardMatrix(rng);
    const rankable = new RankableMatrix(matrix, { datasets: {} });
    const ranks = drawnPlaces(rng);
    const answers = { a: graded(rng), b: graded(rng), binary: false, clusters: null };
    let weight = 1;
    const rank = () => rankable.rank({ weights: { accuracy: (weight += 0.01) }, amrs: 'official' });
    const aggregate = (round: number) =>
      new RankableMatrix(matrix, { datasets: { 'set-0': round + 0.5 } }).rank({ weights: {}, amrs: 'official' });
    usual(rank);

    const samples = await inTurn(context, rounds, 'ms', {
      weights: () => usual(rank),
      datasets: (round) => milliseconds(() => aggregate(round)),
      ranks: () => milliseconds(() => jointRanks(ranks, { ties: 'groups' })),
      compare: (round) => milliseconds(() => comparePaired({ ...answers, seed: `compare ${round}` })),
    });
    const row = (what: string, taken: readonly number[], most: number | null): BenchRow => ({
      what,
      goal: most === null ? '' : `≤ ${most} ms`,
      measured: `${figure(median(taken))} ms (${range(taken)})`,
      reached: most === null ? null : median(taken) <= most,
    });
    return [
      row('rank 10,000 models × 6 metrics by new weights', samples.weights, 1),
      row('the same × 50 datasets by new dataset weights, ranked', samples.datasets, 16),
      row(`intervals of ranks and ties: ${PLACES} places close to each other × 1,000 draws`, samples.ranks, null),
      row('compare two models on 10,000 examples: 10,000 sign flips', samples.compare, null),
    ];
  },
};

function boardMatrix(rng: Rng): BoardMatrix {
  const cells = MODELS * DATASETS;
  const ability = Float64Array.from({ length: MODELS }, () => 0.5 + 0.45 * rng.next());
  const score = () =>
    Float64Array.from({ length: cells }, (_, cell) => ability[Math.floor(cell / DATASETS)]! * rng.next());
  const cost = () => {
    const costs = Float64Array.from({ length: MODELS }, () => 1 + 10 * rng.next());
    return Float64Array.from({ length: cells }, (_, cell) => costs[Math.floor(cell / DATASETS)]!);
  };
  return {
    ids: Array.from({ length: MODELS }, (_, model) => `model-${model}`),
    metrics: METRICS,
    performance: 'accuracy',
    datasets: Array.from({ length: DATASETS }, (_, set) => ({
      name: `set-${set}`,
      role: 'static',
      examples: EXAMPLES,
    })),
    aggregate: { recency: 0.8, static: 0.3, minimumExamples: 100, ownRounds: 'adjust' },
    weights: Object.fromEntries(METRICS.map(({ name }) => [name, 1])),
    amrs: Object.fromEntries(METRICS.map(({ name }) => [name, 1])),
    spreads: {},
    values: METRICS.map(({ isScore }) => (isScore ? score() : cost())),
    // null as in the browser: the file that it loads has no errors
    errors: null,
    own: new Uint8Array(cells),
    isUndefined: new Uint8Array(METRICS.length * DATASETS),
  };
}

/**
 * The first rows of a crowded board: all within four standard errors, and half of the variance of
 * each is shared.
 */
function drawnPlaces(rng: Rng): Parameters<typeof jointRanks>[0] {
  const shared = Float64Array.from({ length: DRAWS }, () => drawNormal(rng));
  const scores = Float64Array.from({ length: PLACES }, (_, place) => (-4 * place) / PLACES);
  const resamples = Array.from(scores, (score) =>
    shared.map((common) => score + Math.SQRT1_2 * (common + drawNormal(rng))),
  );
  return { scores, resamples };
}

const graded = (rng: Rng): Float64Array => Float64Array.from({ length: EXAMPLES }, () => rng.next());

/** Returns the median duration of many calls, in milliseconds. */
function usual(call: () => unknown): number {
  const times = Array.from({ length: CALLS }, () => {
    const started = performance.now();
    call();
    return performance.now() - started;
  });
  return median(times);
}

const milliseconds = async (work: () => unknown): Promise<number> => 1000 * (await seconds(work));
