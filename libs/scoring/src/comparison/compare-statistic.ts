import { seededRng, type Rng } from '@assay/kernel';
import type { Estimate } from '../estimate.js';
import { percentileEstimate, RESAMPLES } from '../intervals/bootstrap.js';
import { twoSidedNormal } from '../intervals/normal.js';
import { atOnce, type Work } from '../resampling/work.js';
import { DETECTABLE, FLIPS, type Comparison } from './compare-paired.js';

/** Draws between which others may have their turn. */
const STEP = 50;

/**
 * A metric of whole sets for two models on the same clusters: its two values where cluster c comes up `times[c]` times and, where
 * `swapped[c]` is 1, each model has the other's answers to it. The arrays are used again for the next draw.
 */
export type JointStatistic = (times: Int32Array, swapped: Uint8Array) => readonly [a: number, b: number];

export interface StatisticComparison {
  readonly statistic: JointStatistic;
  /** Examples, for the record. */
  readonly n: number;
  /** Clusters; examples where each stands alone. */
  readonly clusters: number;
  readonly seed: string;
  /** Draws of the bootstrap; default 1000. */
  readonly resamples?: number;
  /** Draws of the swaps; default 10,000. Fewer where one costs much: p is then no smaller than 1 / (swaps + 1). */
  readonly swaps?: number;
}

/**
 * Compares two models by a metric that has no score of an example: the percentile interval of the difference over a joint
 * bootstrap of clusters, and p by swapping the two models' answers in whole clusters, p = (1 + #{|T*| ≥ |T|}) / (R + 1); of 10,000 draws or
 * more, where that is below 10 / R, the normal tail by the bootstrap's standard error, but never less than all the swaps there are could give.
 */
export const compareStatistic = (comparison: StatisticComparison): Comparison =>
  atOnce(statisticComparison(comparison));

/** The same in steps of 50 draws. */
export function* statisticComparison(comparison: StatisticComparison): Work<Comparison> {
  const { statistic, n, clusters, seed, swaps = FLIPS } = comparison;
  const [a, b] = statistic(new Int32Array(clusters).fill(1), new Uint8Array(clusters));
  const value = a - b;
  if (clusters < 2) {
    const difference = { value, low: null, high: null, standardError: null };
    return { n, a, b, difference, p: null, test: 'swaps', draws: null, discordant: null, detectable: null };
  }

  const rng = seededRng(seed);
  const difference = yield* bootstrapped(value, comparison, rng);
  const p = (1 + (yield* countExtremeSwaps(value, comparison, rng))) / (swaps + 1);
  const { standardError } = difference;
  const detectable = standardError === null ? null : DETECTABLE * standardError;
  const common = { n, a, b, difference, draws: swaps, discordant: null, detectable };
  if (standardError === null || swaps < FLIPS || p >= 10 / swaps) return { ...common, p, test: 'swaps' };

  const tail = standardError === 0 ? 0 : twoSidedNormal(value / standardError);
  return { ...common, p: Math.max(tail, 2 ** (1 - clusters)), test: 'normal-tail' };
}

function* bootstrapped(
  value: number,
  { statistic, clusters, resamples = RESAMPLES }: StatisticComparison,
  rng: Rng,
): Work<Estimate> {
  const times = new Int32Array(clusters);
  const unswapped = new Uint8Array(clusters);
  const drawn = new Float64Array(resamples);
  for (let draw = 0; draw < resamples; draw++) {
    times.fill(0);
    for (let pick = 0; pick < clusters; pick++) times[rng.below(clusters)]!++;
    const [a, b] = statistic(times, unswapped);
    drawn[draw] = a - b;
    if (draw % STEP === STEP - 1) yield;
  }
  return percentileEstimate(value, drawn);
}

/** A swap that leaves the metric undefined counts as extreme: it does not speak against chance. */
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
