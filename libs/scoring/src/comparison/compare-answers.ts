import { DomainError } from '@assay/kernel';
import type { Clusters } from '../estimate.js';
import { everyRow } from '../recorded/recorded-metric.js';
import type { PairMetrics, RecordedMetrics } from '../recorded/recorded-metrics.js';
import { inTurns, type Work } from '../resampling/work.js';
import { MINIMUM_SLICE } from '../slices/compared-slices.js';
import { FLIPS, type Comparison } from './compare-paired.js';
import { compareScores } from './compare-scores.js';
import { statisticsComparison, type StatisticsComparison } from './compare-statistic.js';
import type { JointAnswers, Part } from './joint-answers.js';

/**
 * The maximum number of groups for set-level metrics. More clusters are pooled into this many
 * groups, which limits the time of a draw.
 */
const MOST_GROUPS = 500;
/**
 * The approximate number of examples that the swaps of one comparison may read in total. A metric
 * may have to read all of them in every draw.
 */
const SWAPPED_EXAMPLES = 4_000_000;
/** The number of swaps for a slice, and the fewest for all examples. */
const FEWEST_SWAPS = 1_000;

export interface ComparedScores {
  /** Number of examples. */
  readonly n: number;
  /** Comparisons by metric name. A metric that is undefined for either model is left out. */
  readonly metrics: Readonly<Record<string, Comparison>>;
}

export interface ComparedAnswers extends ComparedScores {
  /** field → value → comparisons, for slices with at least 30 examples. */
  readonly slices: Readonly<Record<string, Readonly<Record<string, ComparedScores>>>>;
}

/**
 * Compares the two models of `answers` in all metrics, on all examples and by slice. More than
 * 10,000 clusters are pooled into 10,000 groups, as for resamples.
 *
 * @param seed seeds the draws
 * @param turn awaited after each step of about ten milliseconds, so that other work can run
 * @throws DomainError `nothing_to_score` without examples
 */
export function compareAnswers(
  answers: JointAnswers,
  seed: string,
  turn: () => Promise<unknown>,
): Promise<ComparedAnswers> {
  return inTurns(comparison(answers, seed), turn);
}

function* comparison(answers: JointAnswers, seed: string): Work<ComparedAnswers> {
  if (answers.count === 0) throw new DomainError('invalid', 'nothing_to_score', 'There are no examples to score.');

  const slices = new Map<string, Map<string, ComparedScores>>();
  for (const part of answers.slices(MINIMUM_SLICE)) {
    const { field, value } = part.slice!;
    const known = slices.get(field) ?? new Map<string, ComparedScores>();
    slices.set(field, known.set(value, yield* partScores(answers, part, `${seed}/${field}/${value}`)));
  }
  return {
    ...(yield* partScores(answers, { slice: null, rows: null }, seed)),
    slices: Object.fromEntries(Array.from(slices, ([field, values]) => [field, Object.fromEntries(values)])),
  };
}

function* partScores(answers: JointAnswers, { rows, slice }: Part, seed: string): Work<ComparedScores> {
  const clusters = answers.clusters(rows);
  const metrics = new Map<string, Comparison>();
  const others = answers.scoresOf(1);
  for (const [name, own] of answers.scoresOf(0)) {
    const other = others.get(name);
    const compared = other && compareScores([own, other], { rows, clusters, seed });
    if (compared) metrics.set(name, compared);
    yield;
  }
  const pair = answers.pairStatistics();
  if (pair) {
    const sets = wholeSets(pair, rows ?? everyRow(answers.count), clusters, slice !== null);
    const affordable = Math.min(FLIPS, Math.floor(SWAPPED_EXAMPLES / (2 * sets.n)));
    const swaps = slice ? FEWEST_SWAPS : Math.max(FEWEST_SWAPS, affordable);
    const found = yield* statisticsComparison({ ...sets, swaps, seed });
    for (const [place, name] of sets.names.entries()) if (found[place]) metrics.set(name, found[place]);
  }
  return { n: rows?.length ?? answers.count, metrics: Object.fromEntries(metrics) };
}

/**
 * Prepares the comparison of set-level metrics.
 *
 * @param pair the interleaved answers of a and b: those to example i are at 2i and 2i + 1
 */
function wholeSets(
  pair: RecordedMetrics,
  rows: Int32Array,
  clusters: Clusters | null,
  isSlice: boolean,
): Omit<StatisticsComparison, 'seed'> & Pick<PairMetrics, 'names'> {
  const groups = Math.min(clusters?.count ?? rows.length, MOST_GROUPS);
  const both = new Int32Array(2 * rows.length);
  const groupOf = new Int32Array(2 * rows.length);
  for (const [index, row] of rows.entries()) {
    const group = (clusters ? clusters.of[index]! : index) % groups;
    both.set([2 * row, 2 * row + 1], 2 * index);
    groupOf.set([group, groups + group], 2 * index);
  }
  const { names, statistic } = pair.pair(both, groupOf, groups, isSlice);
  return { names, metrics: names.length, statistics: statistic, n: rows.length, clusters: groups };
}
