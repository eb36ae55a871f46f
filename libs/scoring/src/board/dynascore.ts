import { completeRows, weightsOf, type Board } from './board.js';
import { descendingOrder } from './descending-order.js';
import { quantile } from '../intervals/bootstrap.js';

/**
 * The rule for exchange rates. `live`: the mean over the pairs, as published. `median`: the
 * official rule, which copies of a model barely move.
 */
export type AmrsRule = 'live' | 'median';

/**
 * Why there are no exchange rates, so that the Dynascore is the utility of the performance alone.
 */
export type Degenerate = 'no_models' | 'one_model' | 'equal_performance' | 'no_information';

/** Two neighbours in the order of performance. Several IDs on one side are tied. */
export interface AmrsPair {
  readonly lower: readonly string[];
  readonly upper: readonly string[];
  /** |Δu| per metric. The gap of the performance metric is the divisor of the others. */
  readonly gaps: Readonly<Record<string, number>>;
}

/** The exchange rates of a board: how much of a metric one point of performance costs. */
export interface Calibration {
  readonly rule: AmrsRule;
  /** Per metric, its average marginal rate of substitution; 0 means no information. */
  readonly amrs: Readonly<Record<string, number>>;
  /** By ascending performance. */
  readonly pairs: readonly AmrsPair[];
  /**
   * Per metric, for `median` only: the indices in `pairs` of the one or two middle pairs that give
   * the rate, the smaller rate first.
   */
  readonly medianPairs: Readonly<Record<string, readonly number[]>>;
  /**
   * Costs that differ between models by no more than `SPREADS` spreads of repeated measurements;
   * their AMRS is 0. In the metrics' units.
   */
  readonly withinSpread: Readonly<Record<string, { readonly range: number; readonly spread: number }>>;
  /** Number of models in the calibration. */
  readonly models: number;
  readonly degenerate: Degenerate | null;
}

/** Pairs whose performance differs by less than this share of the largest are left out. */
export const NEGLIGIBLE = 1e-4;
/**
 * A cost carries no information if its range over the models is within this many spreads of its
 * repeated measurements.
 */
const SPREADS = 3;
/** Differences below this share of the largest utility are due to rounding. */
const ROUNDING = 1e-12;

/**
 * Returns the AMRS of each metric (Ma et al. 2021, "Dynaboard", section 4) over the models that
 * have the performance metric and every metric of non-zero weight. Models are sorted by
 * performance. Ties, up to rounding, count as one model with the mean of their utilities. The rate
 * is the mean or median of |Δu_k| / Δu_p over the neighbours whose performance differs. A metric of
 * weight 0 is calibrated too, over the pairs that have it. Throws the errors of `weightsOf`.
 *
 * `spreads` is, per cost and in its unit, the spread between measurements of one model. A cost
 * whose range over these models is within 3 spreads gets AMRS 0.
 */
export function calibrate(
  board: Board,
  weights: Readonly<Record<string, number>>,
  rule: AmrsRule,
  { spreads = {} }: CalibrateOptions = {},
): Calibration {
  const rows = completeRows(board, weightsOf(board, weights));
  const pairs = neighbours(board, rows);
  const withinSpread = costsWithinSpread(board, rows, spreads);
  const largest = largestUtilities(board, rows);
  const performance = board.metrics[board.performance]!.name;
  const amrs: Record<string, number> = {};
  const medianPairs: Record<string, readonly number[]> = {};
  for (const [column, { name }] of board.metrics.entries()) {
    if (column === board.performance) {
      amrs[name] = 1;
      continue;
    }
    const ratios = ratiosOf(pairs, name, performance, ROUNDING * largest[column]!);
    const average = rule === 'live' ? meanOf : medianOf;
    amrs[name] = name in withinSpread ? 0 : average(ratios);
    if (rule === 'median') medianPairs[name] = middlePairs(ratios);
  }
  const degenerate = whyDegenerate(rows.length, pairs.length);
  return { rule, amrs, pairs, medianPairs, withinSpread, models: rows.length, degenerate };
}

export interface CalibrateOptions {
  readonly spreads?: Readonly<Record<string, number>>;
}

/** Returns the neighbours whose performance differs, by ascending performance. */
function neighbours(board: Board, rows: Int32Array): AmrsPair[] {
  const largest = largestUtilities(board, rows)[board.performance]!;
  const groups = byPerformance(board, rows, ROUNDING * largest);
  const negligible = NEGLIGIBLE * largest;
  const pairs: AmrsPair[] = [];
  for (let index = 1; index < groups.length; index++) {
    const lower = groups[index - 1]!;
    const upper = groups[index]!;
    if (!(upper.lowest - lower.highest > negligible)) continue;

    const gaps: Record<string, number> = {};
    for (const [column, { name }] of board.metrics.entries()) {
      const difference = Math.abs(upper.utilities[column]! - lower.utilities[column]!);
      if (!Number.isNaN(difference)) gaps[name] = difference;
    }
    pairs.push({
      lower: lower.rows.map((row) => board.ids[row]!),
      upper: upper.rows.map((row) => board.ids[row]!),
      gaps,
    });
  }
  return pairs;
}

/** The index of a pair in the list and its |Δu_k| / Δu_p. */
interface Ratio {
  readonly pair: number;
  readonly value: number;
}

function ratiosOf(pairs: readonly AmrsPair[], name: string, performance: string, rounding: number): Ratio[] {
  const ratios: Ratio[] = [];
  for (const [pair, { gaps }] of pairs.entries()) {
    const gap = gaps[name];
    if (gap !== undefined) ratios.push({ pair, value: gap <= rounding ? 0 : gap / gaps[performance]! });
  }
  return ratios;
}

/**
 * Returns the middle pairs in the order of their ratios: one of an odd number, two of an even one.
 */
function middlePairs(ratios: readonly Ratio[]): number[] {
  const order = ratios.toSorted((a, b) => a.value - b.value).map(({ pair }) => pair);
  return order.slice(Math.ceil(order.length / 2) - 1, Math.floor(order.length / 2) + 1);
}

function costsWithinSpread(
  board: Board,
  rows: Int32Array,
  spreads: Readonly<Record<string, number>>,
): Calibration['withinSpread'] {
  const within: Record<string, { range: number; spread: number }> = {};
  for (const [column, { name }] of board.metrics.entries()) {
    const spread = spreads[name];
    if (spread === undefined || column === board.performance) continue;
    const range = rangeOf(board, rows, column);
    if (range <= SPREADS * spread) within[name] = { range, spread };
  }
  return within;
}

/** Returns the range of the existing values; 0 if there are none. */
function rangeOf(board: Board, rows: Int32Array, column: number): number {
  let least = Infinity;
  let most = -Infinity;
  for (const row of rows) {
    const value = board.values[row * board.metrics.length + column]!;
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return most >= least ? most - least : 0;
}

/** Models of the same performance up to rounding, with the mean of their utilities. */
interface Group {
  readonly rows: readonly number[];
  readonly utilities: Float64Array;
  /** The lowest and highest performance in the group. */
  readonly lowest: number;
  readonly highest: number;
}

/**
 * Groups tied models, by ascending utility of the performance. A model within `rounding` of the
 * next is tied with it, and ties are transitive. The grouping therefore does not depend on the
 * order of the rows, which rounding affects.
 */
function byPerformance(board: Board, rows: Int32Array, rounding: number): readonly Group[] {
  const performance = (row: number): number => board.utilities[row * board.metrics.length + board.performance]!;
  const members: number[][] = [];
  for (const place of descendingOrder(Float64Array.from(rows, (row) => -performance(row)))) {
    const row = rows[place]!;
    const last = members.at(-1);
    if (last && performance(row) - performance(last.at(-1)!) <= rounding) last.push(row);
    else members.push([row]);
  }
  return members.map((tied) => groupOf(board, tied));
}

/** Creates a group of `rows`, which are sorted by ascending performance. */
function groupOf(board: Board, rows: readonly number[]): Group {
  const width = board.metrics.length;
  const utilities = new Float64Array(width);
  for (const row of rows) {
    for (let column = 0; column < width; column++) utilities[column]! += board.utilities[row * width + column]!;
  }
  for (let column = 0; column < width; column++) utilities[column]! /= rows.length;
  const lowest = board.utilities[rows[0]! * width + board.performance]!;
  const highest = board.utilities[rows.at(-1)! * width + board.performance]!;
  // exact for exact ties, whereas a sum divided again may be rounded
  utilities[board.performance] = (lowest + highest) / 2;
  return { rows, utilities, lowest, highest };
}

function largestUtilities(board: Board, rows: Int32Array): Float64Array {
  const width = board.metrics.length;
  const largest = new Float64Array(width);
  for (const row of rows) {
    for (let column = 0; column < width; column++) {
      const size = Math.abs(board.utilities[row * width + column]!);
      if (size > largest[column]!) largest[column] = size;
    }
  }
  return largest;
}

function whyDegenerate(models: number, pairs: number): Degenerate | null {
  if (models === 0) return 'no_models';
  if (models === 1) return 'one_model';
  return pairs === 0 ? 'equal_performance' : null;
}

const meanOf = (ratios: readonly Ratio[]): number =>
  ratios.length === 0 ? 0 : ratios.reduce((sum, { value }) => sum + value, 0) / ratios.length;

const medianOf = (ratios: readonly Ratio[]): number =>
  ratios.length === 0 ? 0 : quantile(Float64Array.from(ratios, ({ value }) => value).sort(), 0.5);
