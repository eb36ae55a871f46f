import { seededRng, type Rng } from '@assay/kernel';
import { bareEstimate } from '../estimate.js';
import { percentileEstimate, RESAMPLES } from '../intervals/bootstrap.js';
import { twoSidedT } from '../intervals/student-t.js';
import type { Drawing } from '../resampling/drawing.js';
import type { PairStatistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { FEWEST_CLUSTERS } from '../intervals/bell-mccaffrey.js';
import { DETECTABLE, FEWEST, FLIPS, type Comparison } from './compare-paired.js';

/** The number of draws between two yields. */
const STEP = 50;

export interface StatisticsComparison {
  /** Number of metrics. */
  readonly metrics: number;
  /** The metrics of both models. */
  readonly statistics: PairStatistic;
  /** Number of examples, which is only reported. */
  readonly n: number;
  readonly drawing: Pick<Drawing, 'groups' | 'units' | 'draws'>;
  /** Degrees of freedom of the t test for crossed clusters, which have no swaps; otherwise null. */
  readonly freedom: number | null;
  readonly seed: string;
  /**
   * Number R of swap draws. Default: 10,000. Use fewer if a draw is expensive.
   */
  readonly swaps?: number;
}

/**
 * Compares two models by metrics without per-example scores, all by the same draws: the percentile
 * interval of the difference over a joint bootstrap of clusters, and a p-value from swapping the
 * models' answers to whole clusters, p = (1 + #{|T*| ≥ |T|}) / (R + 1). If that is below 10 / R, p
 * is that of a t test with the bootstrap's standard error and C − 1 degrees of freedom for C clusters,
 * but at least the smallest p-value that all possible swaps could give. Crossed clusters cannot be
 * swapped one by one, so p is that of the t test. There is neither for fewer than five clusters. A
 * metric that is undefined for either model gets null. Works in steps of 50 draws.
 */
export function* statisticsComparison(comparison: StatisticsComparison): Work<readonly (Comparison | null)[]> {
  const { metrics, seed } = comparison;
  const { groups, units } = comparison.drawing;
  const a = new Float64Array(metrics);
  const b = new Float64Array(metrics);
  comparison.statistics.resampled(new Uint8Array(groups).fill(1), a, b);
  const observed = Array.from(a, (value, metric) => ({ a: value, b: b[metric]! }));
  const isDefined = observed.map((each) => Number.isFinite(each.a) && Number.isFinite(each.b));
  if (units < FEWEST_CLUSTERS || !isDefined.includes(true)) {
    return observed.map((each, metric) => (isDefined[metric] ? untested(comparison.n, each) : null));
  }
  const drawn = yield* bootstrapped(comparison);
  const values = Float64Array.from(observed, (each) => each.a - each.b);
  const extreme = comparison.freedom === null ? yield* countExtremeSwaps(values, comparison, seededRng(seed)) : null;
  return observed.map((each, metric) =>
    isDefined[metric] ? tested(comparison, each, drawn[metric]!, extreme?.[metric] ?? null) : null,
  );
}

interface Values {
  readonly a: number;
  readonly b: number;
}

const untested = (n: number, { a, b }: Values): Comparison => ({
  ...{ n, a, b, difference: bareEstimate(a - b), p: null, test: 'swaps', draws: null, discordant: null },
  detectable: null,
});

function tested(
  { n, drawing, freedom, swaps = FLIPS }: StatisticsComparison,
  { a, b }: Values,
  drawn: Float64Array,
  extreme: number | null,
): Comparison {
  const value = a - b;
  const difference = percentileEstimate(value, drawn);
  const { standardError } = difference;
  const detectable = standardError === null ? null : DETECTABLE * standardError;
  const common = { n, a, b, difference, discordant: null, detectable };
  if (extreme === null) {
    const p = standardError === null ? null : tOf(value, standardError, freedom!);
    return { ...common, draws: null, p, test: 'clustered-t' };
  }
  const p = (1 + extreme) / (swaps + 1);
  if (standardError === null || p >= FEWEST / swaps) return { ...common, draws: swaps, p, test: 'swaps' };
  return {
    ...common,
    draws: swaps,
    p: Math.max(twoSidedT(value / standardError, drawing.units - 1), 2 ** (1 - drawing.units)),
    test: 'clustered-t',
  };
}

/** Returns the p-value of the t test; null if the draws of a difference do not vary. */
function tOf(value: number, standardError: number, freedom: number): number | null {
  if (standardError > 0) return twoSidedT(value / standardError, freedom);
  return value === 0 ? 1 : null;
}

/** Returns the differences in the draws, by metric. */
function* bootstrapped({ metrics, statistics, drawing, seed }: StatisticsComparison): Work<readonly Float64Array[]> {
  const a = new Float64Array(metrics);
  const b = new Float64Array(metrics);
  const drawn = Array.from({ length: metrics }, () => new Float64Array(RESAMPLES));
  let resample = 0;
  for (const chunk of drawing.draws(seed)) {
    for (const times of chunk) {
      statistics.resampled(times, a, b);
      for (let metric = 0; metric < metrics; metric++) drawn[metric]![resample] = a[metric]! - b[metric]!;
      resample++;
    }
    yield;
  }
  return drawn;
}

/**
 * Counts, by metric, the random swaps that are at least as extreme as `values`. A swap that leaves
 * the metric undefined counts as extreme, because it is no evidence against chance.
 */
function* countExtremeSwaps(
  values: Float64Array,
  { metrics, statistics, drawing: { groups }, swaps = FLIPS }: StatisticsComparison,
  rng: Rng,
): Work<Float64Array> {
  const swapped = new Uint8Array(groups);
  const a = new Float64Array(metrics);
  const b = new Float64Array(metrics);
  const limits = values.map((value) => Math.abs(value) - 1e-12);
  const extreme = new Float64Array(metrics);
  for (let draw = 0; draw < swaps; draw++) {
    let bits = 0;
    for (let group = 0; group < groups; group++) {
      if (group % 32 === 0) bits = rng.below(0x1_0000_0000);
      swapped[group] = bits & 1;
      bits >>>= 1;
    }
    statistics.swapped(swapped, a, b);
    for (let metric = 0; metric < metrics; metric++) {
      if (!(Math.abs(a[metric]! - b[metric]!) < limits[metric]!)) extreme[metric]!++;
    }
    if (draw % STEP === STEP - 1) yield;
  }
  return extreme;
}
