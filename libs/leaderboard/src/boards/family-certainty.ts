import { type CostMetric, isCostMetric } from '@assay/contracts/metrics';
import { remembered, seededRng } from '@assay/kernel';
import { drawNormal } from '@assay/scoring';
import { utilityRule } from '@assay/scoring/board';
import {
  costSpreads,
  discordantCounts,
  EXACT_BELOW,
  pairedBounds,
  type RankFamily,
  rankFamilyInTurn,
  RIGHT_ANSWERS,
} from '@assay/scoring/ranks';
import type { BoardContent } from './board-content.js';
import {
  DRAWS,
  drawsOf,
  hasUnknownFit,
  independentScores,
  jointScores,
  resampledRow,
  type ResamplesLookup,
} from './score-draws.js';
import type { WeighedBoard } from './weighed-board.js';

/**
 * Compares the first places of a board in one family of pairs. Scores are drawn from the joint
 * resamples of the examples, or independently from a normal distribution for a row that lacks them.
 * Costs are drawn from the spread of repeated measurements, since rules 2 from a lognormal distribution with
 * the spread of each model. Exchange rates are constant.
 *
 * @param places the number of places in the family
 */
export function* familySteps(
  weighed: WeighedBoard,
  seed: string,
  resamples: ResamplesLookup,
  places: number,
): Generator<void, RankFamily> {
  const { ranking, scores } = weighed;
  const rows = Array.from(ranking.order.subarray(0, places));
  const noise = weighed.rules > 1 ? lognormalNoise(weighed) : normalNoise(weighed);
  const draws: (Float64Array | null)[] = [];
  for (const [place, index] of rows.entries()) {
    draws.push(hasUnknownFit(weighed, index) ? null : drawsOfPlace(weighed, { place, noise, seed }, resamples));
    yield;
  }
  const copies = rows.map((index, place) => scores.content.models[index]!.copies ?? -1 - place);
  return yield* rankFamilyInTurn({
    scores: ranking.dynascore.subarray(0, rows.length),
    resamples: draws,
    copies,
    exactBounds: exactBounds(weighed, rows, draws, resamples),
    ranked: ranking.order.length,
  });
}

function drawsOfPlace(
  weighed: WeighedBoard,
  { place, noise, seed }: { readonly place: number; readonly noise: CostNoise; readonly seed: string },
  resamples: ResamplesLookup,
): Float64Array | null {
  const index = weighed.ranking.order[place]!;
  const row = resampledRow(weighed, index, resamples, seed);
  const drawn = row ? jointScores(weighed, row) : independentScores(weighed, place, seed);
  return withCostNoise(weighed, { index, noise, seed }, drawn ?? weighed.ranking.dynascore[place]!);
}

/**
 * Returns the change of the score of a model when the cost in a column is drawn again, given a draw from the
 * standard normal distribution. Null if the cost has no known spread.
 */
type CostNoise = (index: number, column: number) => ((normal: number) => number) | null;

/** The noise before rules 2: normal, with the median spread of all models. */
function normalNoise({ board, ranking, rankable }: WeighedBoard): CostNoise {
  return (index, column) => {
    const metric = board.metrics[column]!;
    const spread = rankable.matrix.spreads[metric.name] ?? 0;
    if (spread === 0) return null;
    const value = board.values[index * board.metrics.length + column]!;
    const error = ranking.coefficients[column]! * Math.abs(utilityRule(metric).slopeAt(value)) * spread;
    return (normal) => error * normal;
  };
}

/** The noise of rules 2: lognormal, with the spread of each model. */
function lognormalNoise(weighed: WeighedBoard): CostNoise {
  const { board, ranking, scores } = weighed;
  const columns = board.metrics.map(({ name }) => (isCostMetric(name) ? modelSpreads(scores.content, name) : null));
  return (index, column) => {
    const spread = columns[column]?.[index] ?? 0;
    if (spread === 0) return null;
    const { utilityOf } = utilityRule(board.metrics[column]!);
    const value = board.values[index * board.metrics.length + column]!;
    const coefficient = ranking.coefficients[column]!;
    return (normal) => coefficient * (utilityOf(value * Math.exp(spread * normal)) - utilityOf(value));
  };
}

/** Returns the standard deviation of the logarithm of a cost, for all models of a board. */
const modelSpreads = ({ models }: BoardContent, name: CostMetric): Float64Array =>
  costSpreads(
    models.map(({ hardware = null, costSpreads: spreads, provisionalCosts, cells }) => ({
      hardware,
      spread: spreads?.[name] ?? null,
      isRough:
        (provisionalCosts === true && isTimed(name)) || Object.values(cells).some((cell) => cell[name]?.contended),
    })),
  );

const isTimed = (name: CostMetric): boolean => name === 'throughput' || name.startsWith('latency_');

/**
 * Adds the noise of the measured costs to the draws of a score. A cost whose spread is unknown is a constant.
 * Returns null if nothing of the score varies.
 *
 * @param drawn the draws of the score, or the score if they are constant
 */
function withCostNoise(
  { board, ranking }: WeighedBoard,
  { index, noise, seed }: { readonly index: number; readonly noise: CostNoise; readonly seed: string },
  drawn: Float64Array | number,
): Float64Array | null {
  let noisy = drawn;
  for (const [column, metric] of board.metrics.entries()) {
    const change = ranking.coefficients[column] === 0 ? null : noise(index, column);
    if (!change) continue;
    const rng = seededRng(`${seed} ${metric.name} ${board.ids[index]!}`);
    const before = noisy;
    noisy = Float64Array.from(
      { length: DRAWS },
      (_, draw) => (typeof before === 'number' ? before : before[draw]!) + change(drawNormal(rng)),
    );
  }
  return typeof noisy === 'number' ? null : noisy;
}

/**
 * Returns the exact bounds of the score difference of two places that differ on few examples: those of
 * the performance on each dataset, and the normal interval of the other metrics. Null where the
 * models differ on many examples, where answers are not right or wrong, and where a value was fitted.
 */
function exactBounds(
  weighed: WeighedBoard,
  rows: readonly number[],
  draws: readonly (Float64Array | null)[],
  resamples: ResamplesLookup,
) {
  const answers = rows.map((index) => rightAnswers(weighed, index, resamples));
  const others = rows.map((_, place) => {
    const [drawn, answered] = [draws[place], answers[place]];
    return drawn && answered ? rest(drawn, answered) : null;
  });
  const pairs = new Map<number, FewDifferences | 'many'>();
  return (one: number, other: number, error: number, critical: number): readonly [number, number] | null => {
    const [first, second, ofFirst, ofSecond] = [answers[one], answers[other], others[one], others[other]];
    if (!first || !second || !ofFirst || !ofSecond) return null;
    const pair = remembered(pairs, one * rows.length + other, () => {
      const counts = countedOf(first, second);
      return counts === 'many' ? counts : { counts, spread: deviation(ofFirst, ofSecond) };
    });
    if (pair === 'many') return null;
    let [low, high] = [0, 0];
    let performance = 0;
    for (const { points, ...discordant } of pair.counts) {
      const bounds = pairedBounds(discordant, error / pair.counts.length);
      low += points * bounds[0];
      high += points * bounds[1];
      performance += (points * (discordant.one - discordant.other)) / discordant.examples;
    }
    const { dynascore } = weighed.ranking;
    const difference = dynascore[one]! - dynascore[other]! - performance;
    const margin = critical * pair.spread;
    return [low + difference - margin, high + difference + margin];
  };
}

/** The right answers of a model on one dataset. */
interface Answers {
  /** The points that the dataset adds to the score if all answers are right. */
  readonly points: number;
  readonly examples: number;
  readonly right: Float32Array;
  /** The performance in each draw. */
  readonly draws: Float32Array;
}

interface Counted {
  readonly one: number;
  readonly other: number;
  readonly examples: number;
  readonly points: number;
}

/** A pair that differs on few examples: their counts by dataset, and the standard error of the rest of the score. */
interface FewDifferences {
  readonly counts: readonly Counted[];
  readonly spread: number;
}

/** Returns null unless the answers on every weighed dataset are known to be right or wrong. */
function rightAnswers(
  { rankable, ranking, scores, board, datasetWeights }: WeighedBoard,
  index: number,
  resamples: ResamplesLookup,
): readonly Answers[] | null {
  const { matrix, aggregated } = rankable;
  const column = board.performance;
  const metric = board.metrics[column]!;
  const slope = utilityRule(metric).slopeAt(board.values[index * board.metrics.length + column]!);
  if (metric.curve || ranking.coefficients[column] === 0) return null;
  const weighed = matrix.datasets.flatMap(({ name }, dataset) =>
    datasetWeights[name]! > 0 && matrix.isUndefined[column * matrix.datasets.length + dataset] === 0
      ? [{ name, dataset, weight: datasetWeights[name]! }]
      : [],
  );
  const sum = weighed.reduce((before, { weight }) => before + weight, 0);
  const found: Answers[] = [];
  for (const { name, dataset, weight } of weighed) {
    const isFitted = aggregated.fitted[column] && matrix.own[index * matrix.datasets.length + dataset] === 1;
    const digests = scores.content.models[index]!.resamples?.[name];
    const draws = drawsOf(digests, metric.name, resamples);
    const right = digests?.map((digest) => resamples(digest)?.[RIGHT_ANSWERS]).find((each) => each !== undefined);
    // the right answers on a part of the examples cannot be paired with those on all of them
    const isPart = scores.content.models[index]!.counted?.[name] !== undefined;
    if (isFitted || isPart || !draws || !right) return null;
    const { examples } = scores.content.datasets.find((each) => each.name === name)!;
    found.push({ points: (ranking.coefficients[column]! * slope * weight) / sum, examples, right, draws });
  }
  return found;
}

function countedOf(first: readonly Answers[], second: readonly Answers[]): readonly Counted[] | 'many' {
  const counts: Counted[] = [];
  let differing = 0;
  for (const [place, { points, examples, right }] of first.entries()) {
    const { one, other } = discordantCounts(right, second[place]!.right);
    differing += one + other;
    if (differing >= EXACT_BELOW) return 'many';
    counts.push({ one, other, examples, points });
  }
  return counts;
}

/** Returns the draws of a score without the performance. */
const rest = (scores: Float64Array, answers: readonly Answers[]): Float64Array =>
  scores.map((score, draw) => answers.reduce((left, { points, draws }) => left - points * draws[draw]!, score));

/** Returns the standard deviation of the difference of two columns of draws. */
function deviation(one: Float64Array, other: Float64Array): number {
  const differences = one.map((value, draw) => value - other[draw]!);
  const mean = differences.reduce((sum, each) => sum + each, 0) / differences.length;
  return Math.sqrt(differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (differences.length - 1));
}
