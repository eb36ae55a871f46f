import { seededRng, type Rng } from '@assay/kernel';
import { bareEstimate, type Estimate } from '../estimate.js';
import { percentileEstimate, RESAMPLES } from '../intervals/bootstrap.js';
import type { Work } from '../resampling/work.js';
import { twoSidedT } from '../intervals/student-t.js';
import { DETECTABLE, FEWEST, FEWEST_CLUSTERS, FLIPS, type Comparison } from './compare-paired.js';

/** The number of draws between two yields. */
const STEP = 50;

/**
 * A set-level metric for two models on the same clusters. Returns the two values if cluster c
 * occurs `times[c]` times and the models exchange their answers to it where `swapped[c]` is 1. The
 * arrays are reused for the next draw.
 */
export type JointStatistic = (times: Int32Array, swapped: Uint8Array) => readonly [a: number, b: number];

export interface StatisticComparison {
  readonly statistic: JointStatistic;
  /** Number of examples, which is only reported. */
  readonly n: number;
  /** Number of clusters, or of examples if each is independent. */
  readonly clusters: number;
  readonly seed: string;
  /**
   * Number of swap draws. Default: 10,000. Use fewer if a draw is expensive; p is then at least
   * 1 / (swaps + 1).
   */
  readonly swaps?: number;
}

/**
 * Compares two models by a metric without per-example scores: the percentile interval of the
 * difference over a joint bootstrap of clusters, and a p-value from swapping the models' answers to
 * whole clusters, p = (1 + #{|T*| ≥ |T|}) / (R + 1). With 10,000 draws or more, if that is below
 * 10 / R, p is that of a t test with the bootstrap's standard error and C − 1 degrees of freedom for
 * C clusters, but at least the smallest p-value that all possible swaps could give. Works in steps of 50 draws. There is
 * neither for fewer than five clusters.
 */
export function* statisticComparison(comparison: StatisticComparison): Work<Comparison> {
  const { statistic, n, clusters, seed, swaps = FLIPS } = comparison;
  const [a, b] = statistic(new Int32Array(clusters).fill(1), new Uint8Array(clusters));
  const value = a - b;
  if (clusters < FEWEST_CLUSTERS) {
    const difference = bareEstimate(value);
    return { n, a, b, difference, p: null, test: 'swaps', draws: null, discordant: null, detectable: null };
  }

  const rng = seededRng(seed);
  const difference = yield* bootstrapped(value, comparison, rng);
  const p = (1 + (yield* countExtremeSwaps(value, comparison, rng))) / (swaps + 1);
  const { standardError } = difference;
  const detectable = standardError === null ? null : DETECTABLE * standardError;
  const common = { n, a, b, difference, draws: swaps, discordant: null, detectable };
  if (standardError === null || swaps < FLIPS || p >= FEWEST / swaps) return { ...common, p, test: 'swaps' };
  return {
    ...common,
    p: Math.max(twoSidedT(value / standardError, clusters - 1), 2 ** (1 - clusters)),
    test: 'clustered-t',
  };
}

function* bootstrapped(value: number, { statistic, clusters }: StatisticComparison, rng: Rng): Work<Estimate> {
  const times = new Int32Array(clusters);
  const unswapped = new Uint8Array(clusters);
  const drawn = new Float64Array(RESAMPLES);
  for (let draw = 0; draw < RESAMPLES; draw++) {
    times.fill(0);
    for (let pick = 0; pick < clusters; pick++) times[rng.below(clusters)]!++;
    const [a, b] = statistic(times, unswapped);
    drawn[draw] = a - b;
    if (draw % STEP === STEP - 1) yield;
  }
  return percentileEstimate(value, drawn);
}

/**
 * Counts the random swaps that are at least as extreme as `value`. A swap that leaves the metric
 * undefined counts as extreme, because it is no evidence against chance.
 */
function* countExtremeSwaps(
  value: number,
  { statistic, clusters, swaps = FLIPS }: StatisticComparison,
  rng: Rng,
): Work<number> {
  const once = new Int32Array(clusters).fill(1);
  const swapped = new Uint8Array(clusters);
  let extreme = 0;
  for (let draw = 0; draw < swaps; draw++) {
    let bits = 0;
    for (let cluster = 0; cluster < clusters; cluster++) {
      if (cluster % 32 === 0) bits = rng.below(0x1_0000_0000);
      swapped[cluster] = bits & 1;
      bits >>>= 1;
    }
    const [a, b] = statistic(once, swapped);
    if (!(Math.abs(a - b) < Math.abs(value) - 1e-12)) extreme++;
    if (draw % STEP === STEP - 1) yield;
  }
  return extreme;
}
