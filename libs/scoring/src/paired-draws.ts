import type { JointRanksInput } from './rank-interval.js';

/** The draws of a place about their mean. */
export interface Deviations {
  /** Empty where no draws are known. */
  readonly values: Float64Array;
  readonly variance: number;
}

/** Variances of differences below this share of the variances come from rounding: the two move as one. */
const ROUNDING = 1e-13;

/** Standard errors of the differences between the places of a board, from their joint draws. What has no draws does not move. */
export class PairedDraws {
  readonly scores: ArrayLike<number>;
  readonly draws: number;
  private readonly resamples: JointRanksInput['resamples'];
  private readonly known: (Deviations | undefined)[] = [];

  constructor({ scores, resamples }: JointRanksInput) {
    this.scores = scores;
    this.resamples = resamples;
    this.draws = resamples.find((each) => each !== null)?.length ?? 0;
  }

  isKnown(place: number): boolean {
    return this.resamples[place] !== null;
  }

  deviations(place: number): Deviations {
    return (this.known[place] ??= centred(this.resamples[place] ?? new Float64Array(0)));
  }

  /** Of the difference between two places; 0 where they move as one. */
  differenceError(one: number, other: number): number {
    const [a, b] = [this.deviations(one), this.deviations(other)];
    const sum = a.variance + b.variance;
    const variance = sum - (2 * product(a.values, b.values)) / (this.draws - 1);
    return variance <= ROUNDING * sum ? 0 : Math.sqrt(variance);
  }
}

function centred(draws: ArrayLike<number>): Deviations {
  let sum = 0;
  for (let draw = 0; draw < draws.length; draw++) sum += draws[draw]!;
  const mean = sum / draws.length;
  const values = new Float64Array(draws.length);
  for (let draw = 0; draw < draws.length; draw++) values[draw] = draws[draw]! - mean;
  return { values, variance: values.length === 0 ? 0 : product(values, values) / (values.length - 1) };
}

/** Σ aᵢ bᵢ; 0 where one is empty. Four sums at a time, as one would wait for itself. */
function product(a: Float64Array, b: Float64Array): number {
  const length = Math.min(a.length, b.length);
  let [s0, s1, s2, s3] = [0, 0, 0, 0];
  let at = 0;
  for (; at + 3 < length; at += 4) {
    s0 += a[at]! * b[at]!;
    s1 += a[at + 1]! * b[at + 1]!;
    s2 += a[at + 2]! * b[at + 2]!;
    s3 += a[at + 3]! * b[at + 3]!;
  }
  for (; at < length; at++) s0 += a[at]! * b[at]!;
  return s0 + s1 + s2 + s3;
}
