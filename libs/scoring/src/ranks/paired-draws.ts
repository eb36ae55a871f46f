import { total } from '../label-counts.js';
import type { JointRanksInput } from './rank-interval.js';

/**
 * The draws of a place about their mean, in an order that all places share; all 0 without draws.
 */
export interface Deviations {
  readonly values: Float64Array;
  readonly variance: number;
  /**
   * Two parts of the standard deviation: `shared` is that of the regression on the mean of all
   * places, with its sign, and `own` that of the residual.
   */
  readonly shared: number;
  readonly own: number;
}

/**
 * The threshold for rounding: a variance of a difference below this share of the summed variances
 * means that the two move as one.
 */
const ROUNDING = 1e-13;
/**
 * Errors are computed in blocks of this many places by as many others, whose draws then stay in the
 * cache.
 */
const SIDE = 8;

const { floor, max, min, sqrt } = Math;

/**
 * The standard errors of the differences between the places of a board, from their joint draws.
 * Each is computed once. A place without draws is constant. Draws are ordered by their mean over
 * the places, so that adjacent draws have much of their error in common.
 */
export class PairedDraws {
  readonly scores: ArrayLike<number>;
  readonly draws: number;
  private readonly known: readonly Deviations[];
  private readonly isDrawn: readonly boolean[];
  private readonly blocks: (Float64Array | undefined)[] = [];

  constructor({ scores, resamples }: JointRanksInput) {
    this.scores = scores;
    this.draws = resamples.find((each) => each !== null)?.length ?? 0;
    this.isDrawn = resamples.map((each) => each !== null);
    const sums = sumsOfDraws(resamples, this.draws);
    const order = Uint32Array.from(sums.keys()).sort((a, b) => sums[a]! - sums[b]! || a - b);
    const common = centred(sums, order);
    const still: Deviations = { values: new Float64Array(this.draws), variance: 0, shared: 0, own: 0 };
    this.known = resamples.map((each) => (each ? deviations(centred(each, order), common) : still));
  }

  isKnown(place: number): boolean {
    return this.isDrawn[place]!;
  }

  deviations(place: number): Deviations {
    return this.known[place]!;
  }

  /**
   * Returns an upper bound of `differenceError` without reading the draws: the parts that two
   * places do not share may be opposed.
   */
  largestError(one: number, other: number): number {
    const [a, b] = [this.known[one]!, this.known[other]!];
    return Math.hypot(a.shared - b.shared, a.own + b.own);
  }

  /** Returns the standard error of the difference between two places; 0 if they move as one. */
  differenceError(one: number, other: number): number {
    const [upper, lower] = [min(one, other), max(one, other)];
    const [row, column] = [upper % SIDE, lower % SIDE];
    const block = floor(upper / SIDE) * this.known.length + floor(lower / SIDE);
    return (this.blocks[block] ??= this.errorsFrom(upper - row, lower - column))[row * SIDE + column]!;
  }

  /**
   * Returns the errors between `SIDE` places and `SIDE` others. Entries past the last place have no
   * meaning.
   */
  private errorsFrom(top: number, left: number): Float64Array {
    const errors = new Float64Array(SIDE * SIDE);
    const at = (place: number): Deviations => this.known[min(place, this.known.length - 1)]!;
    for (let row = 0; row < SIDE; row += 2) {
      for (let column = 0; column < SIDE; column += 4) {
        const two = [at(top + row), at(top + row + 1)] as const;
        const from = left + column;
        const four = [at(from), at(from + 1), at(from + 2), at(from + 3)] as const;
        for (const [index, product] of eightProducts(two, four).entries()) {
          const [one, other] = [two[index >> 2]!, four[index & 3]!];
          errors[(row + (index >> 2)) * SIDE + column + (index & 3)] = this.errorOf(one, other, product);
        }
      }
    }
    return errors;
  }

  private errorOf(one: Deviations, other: Deviations, product: number): number {
    const sum = one.variance + other.variance;
    const variance = sum - (2 * product) / (this.draws - 1);
    return variance <= ROUNDING * sum ? 0 : sqrt(variance);
  }
}

function sumsOfDraws(resamples: JointRanksInput['resamples'], draws: number): Float64Array {
  const sums = new Float64Array(draws);
  for (const column of resamples) {
    if (column) for (let draw = 0; draw < draws; draw++) sums[draw]! += column[draw]!;
  }
  return sums;
}

function centred(draws: ArrayLike<number>, order: Uint32Array): Float64Array {
  const mean = total(draws) / order.length;
  const values = new Float64Array(order.length);
  for (let at = 0; at < order.length; at++) values[at] = draws[order[at]!]! - mean;
  return values;
}

function deviations(values: Float64Array, common: Float64Array): Deviations {
  const freedom = values.length - 1;
  const variance = product(values, values) / freedom;
  const ofCommon = product(common, common) / freedom;
  const shared = ofCommon === 0 ? 0 : product(values, common) / freedom / sqrt(ofCommon);
  return { values, variance, shared, own: sqrt(max(0, variance - shared * shared)) };
}

function product(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at++) sum += a[at]! * b[at]!;
  return sum;
}

/**
 * Returns Σ aᵢ bᵢ of two columns with four others of the same length. Each value that is read is
 * used more than once, and no sum has to wait for itself.
 */
function eightProducts(
  [one, two]: readonly [Deviations, Deviations],
  [p, q, r, s]: readonly [Deviations, Deviations, Deviations, Deviations],
): readonly number[] {
  const [a, b] = [one.values, two.values];
  const [pv, qv, rv, sv] = [p.values, q.values, r.values, s.values];
  let [ap, aq, ar, as] = [0, 0, 0, 0];
  let [bp, bq, br, bs] = [0, 0, 0, 0];
  for (let at = 0; at < a.length; at++) {
    const x = a[at]!;
    const y = b[at]!;
    ap += x * pv[at]!;
    aq += x * qv[at]!;
    ar += x * rv[at]!;
    as += x * sv[at]!;
    bp += y * pv[at]!;
    bq += y * qv[at]!;
    br += y * rv[at]!;
    bs += y * sv[at]!;
  }
  return [ap, aq, ar, as, bp, bq, br, bs];
}
