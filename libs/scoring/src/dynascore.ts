import { completeRows, weightsOf, type Board } from './board.js';
import { descendingOrder } from './descending-order.js';
import { quantile } from './intervals/bootstrap.js';

/** `live`: the mean over the pairs, as published. `median`: the official one, which copies of a model barely move. */
export type AmrsRule = 'live' | 'median';

/** Why there is no exchange rate, so that the Dynascore is the utility of the performance alone. */
export type Degenerate = 'no_models' | 'one_model' | 'equal_performance' | 'no_information';

/** Two neighbours in the order of performance (several ids: exact ties). */
export interface AmrsPair {
  readonly lower: readonly string[];
  readonly upper: readonly string[];
  /** |Δu| per metric; that of the performance is what the others are divided by. */
  readonly gaps: Readonly<Record<string, number>>;
}

/** The exchange rates of a board: how much of a metric one point of performance costs. */
export interface Calibration {
  readonly rule: AmrsRule;
  /** Per metric its average marginal rate of substitution; 0: no information. */
  readonly amrs: Readonly<Record<string, number>>;
  readonly pairs: readonly AmrsPair[];
  /** How many models it was taken from. */
  readonly models: number;
  readonly degenerate: Degenerate | null;
}

/** Pairs closer in performance than this share of the largest are left out. */
const NEGLIGIBLE = 1e-4;
/** Differences below this share of the largest utility come from rounding. */
const ROUNDING = 1e-12;

/**
 * AMRS of each metric over the models that have every metric of non-zero weight (Ma et al. 2021, "Dynaboard", section 4): sorted by
 * performance, exact ties as one with the mean of their utilities, |Δu_k| / Δu_p over the neighbours whose performance differs. A metric that
 * weighs 0 is calibrated too, over the pairs that have it. Throws as `weightsOf`.
 */
export function calibrate(board: Board, weights: Readonly<Record<string, number>>, rule: AmrsRule): Calibration {
  const rows = completeRows(board, weightsOf(board, weights));
  const groups = byPerformance(board, rows);
  const largest = largestUtilities(board, rows);
  const width = board.metrics.length;
  const ratios = board.metrics.map((): number[] => []);
  const pairs: AmrsPair[] = [];

  for (let index = 1; index < groups.length; index++) {
    const lower = groups[index - 1]!;
    const upper = groups[index]!;
    const gap = upper.utilities[board.performance]! - lower.utilities[board.performance]!;
    if (!(gap > NEGLIGIBLE * largest[board.performance]!)) continue;

    const gaps: Record<string, number> = {};
    for (let column = 0; column < width; column++) {
      const difference = Math.abs(upper.utilities[column]! - lower.utilities[column]!);
      if (Number.isNaN(difference)) continue;
      gaps[board.metrics[column]!.name] = difference;
      ratios[column]!.push(difference <= ROUNDING * largest[column]! ? 0 : difference / gap);
    }
    pairs.push({
      lower: lower.rows.map((row) => board.ids[row]!),
      upper: upper.rows.map((row) => board.ids[row]!),
      gaps,
    });
  }

  const average = rule === 'live' ? meanOf : medianOf;
  const amrs = board.metrics.map(({ name }, column): [string, number] => [
    name,
    column === board.performance ? 1 : average(ratios[column]!),
  ]);
  const degenerate = whyDegenerate(rows.length, pairs.length);
  return { rule, amrs: Object.fromEntries(amrs), pairs, models: rows.length, degenerate };
}

/** Models of the same performance, with the mean of their utilities. */
interface Group {
  readonly rows: readonly number[];
  readonly utilities: Float64Array;
}

/** Ascending by the utility of the performance. */
function byPerformance(board: Board, rows: Int32Array): readonly Group[] {
  const width = board.metrics.length;
  const performance = (row: number): number => board.utilities[row * width + board.performance]!;
  const groups: { rows: number[]; utilities: Float64Array }[] = [];
  for (const place of descendingOrder(Float64Array.from(rows, (row) => -performance(row)))) {
    const row = rows[place]!;
    const utilities = board.utilities.subarray(row * width, (row + 1) * width);
    const last = groups.at(-1);
    if (last && performance(last.rows[0]!) === performance(row)) {
      last.rows.push(row);
      for (let column = 0; column < width; column++) last.utilities[column]! += utilities[column]!;
    } else groups.push({ rows: [row], utilities: utilities.slice() });
  }
  for (const group of groups) {
    if (group.rows.length === 1) continue;
    for (let column = 0; column < width; column++) group.utilities[column]! /= group.rows.length;
    group.utilities[board.performance] = performance(group.rows[0]!);
  }
  return groups;
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

const meanOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;

const medianOf = (values: readonly number[]): number =>
  values.length === 0 ? 0 : quantile(Float64Array.from(values).sort(), 0.5);
