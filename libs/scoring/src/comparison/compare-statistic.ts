import { seededRng, type Rng } from '@assay/kernel';
import { bareEstimate } from '../estimate.js';
import { percentileEstimate, RESAMPLES } from '../intervals/bootstrap.js';
import { twoSidedT } from '../intervals/student-t.js';
import { clusterDraws } from '../resampling/cluster-draws.js';
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
  /** Number of clusters, or of examples if each is independent; at most 10,000. */
  readonly clusters: number;
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
 * but at least the smallest p-value that all possible swaps could give. There is neither for fewer than five clusters. A metric that is undefined for either model
 * gets null. Works in steps of 50 draws.
 */
export function* statisticsComparison(comparison: StatisticsComparison): Work<readonly (Comparison | null)[]> {
  const { metrics, clusters, seed } = comparison;
  const a = new Float64Array(metrics);
  const b = new Float64Array(metrics);
  comparison.statistics.resampled(new Uint8Array(clusters).fill(1), a, b);
  const observed = Array.from(a, (value, metric) => ({ a: value, b: b[metric]! }));
  const isDefined = observed.map((each) => Number.isFinite(each.a) && Number.isFinite(each.b));
  if (clusters < FEWEST_CLUSTERS || !isDefined.includes(true)) {
    return observed.map((each, metric) => (isDefined[metric] ? untested(comparison.n, each) : null));
  }
  const drawn = yield* bootstrapped(comparison);
  const values = Float64Array.from(observed, (each) => each.a - each.b);
  const extreme = yield* countExtremeSwaps(values, comparison, seededRng(seed));
  return observed.map((each, metric) =>
    isDefined[metric] ? tested(comparison, each, drawn[metric]!, extreme[metric]!) : null,
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
  { n, clusters, swaps = FLIPS }: StatisticsComparison,
  { a, b }: Values,
  drawn: Float64Array,
  extreme: number,
): Comparison {
  const value = a - b;
  const difference = percentileEstimate(value, drawn);
  const p = (1 + extreme) / (swaps + 1);
  const { standardError } = difference;
  const detectable = standardError === null ? null : DETECTABLE * standardError;
  const common = { n, a, b, difference, draws: swaps, discordant: null, detectable };
  if (standardError === null || p >= FEWEST / swaps) return { ...common, p, test: 'swaps' };
  return {
    ...common,
    p: Math.max(twoSidedT(value / standardError, clusters - 1), 2 ** (1 - clusters)),
    test: 'clustered-t',
  };
}

/** Returns the differences in the draws, by metric. */
function* bootstrapped({ metrics, statistics, clusters, seed }: StatisticsComparison): Work<readonly Float64Array[]> {
  const a = new Float64Array(metrics);
  const b = new Float64Array(metrics);
  const drawn = Array.from({ length: metrics }, () => new Float64Array(RESAMPLES));
  let resample = 0;
  for (const draws of clusterDraws(seed, clusters)) {
    for (const times of draws) {
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
  { metrics, statistics, clusters, swaps = FLIPS }: StatisticsComparison,
  rng: Rng,
): Work<Float64Array> {
  const swapped = new Uint8Array(clusters);
  const a = new Float64Array(metrics);
  const b = new Float64Array(metrics);
  const limits = values.map((value) => Math.abs(value) - 1e-12);
  const extreme = new Float64Array(metrics);
  for (let draw = 0; draw < swaps; draw++) {
    let bits = 0;
    for (let cluster = 0; cluster < clusters; cluster++) {
      if (cluster % 32 === 0) bits = rng.below(0x1_0000_0000);
      swapped[cluster] = bits & 1;
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
