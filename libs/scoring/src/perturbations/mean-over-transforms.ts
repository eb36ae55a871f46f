import type { MetricContext } from '../metric.js';
import type { Statistic } from '../resampling/statistic.js';
import type { RightMeasure } from './answer-measures.js';
import { MINIMUM_ORIGINALS, type OriginalGroup } from './original-group.js';

export interface MeanOverTransforms {
  /**
   * One score per original. Their mean is the value, and their deviations from it are the
   * influences of the originals on it, so that the standard error of their mean is that of the
   * value. An original with variants of few transforms may have a score outside [0, 1].
   */
  readonly scores: Float64Array;
  /** The value, given how often each original is drawn. */
  readonly statistic: Statistic;
}

/**
 * Returns the mean over the transforms of m_t = 1/|O_t| Σ_o s_ot, where O_t has the originals with
 * variants of transform t, and s_ot is the mean over these variants of the smaller score of the
 * original and the variant. Leaves out transforms with fewer than 30 originals; null if no
 * transform remains.
 */
export function meanOverTransforms(
  right: RightMeasure,
  group: OriginalGroup,
  context: MetricContext,
): MeanOverTransforms | null {
  const transforms = transformShares(right, group, context).filter(({ places }) => places.length >= MINIMUM_ORIGINALS);
  if (transforms.length === 0) return null;

  const once = new Uint8Array(group.originals.length).fill(1);
  const means = transforms.map((transform) => weightedMean(transform, once));
  const value = mean(means);
  const scores = new Float64Array(group.originals.length).fill(value);
  for (const [transform, { places, shares }] of transforms.entries()) {
    const weight = scores.length / (places.length * transforms.length);
    for (const [index, place] of places.entries()) {
      scores[place]! += weight * (shares[index]! - means[transform]!);
    }
  }
  // a resample in which a transform does not occur has the mean of the others
  const statistic = (times: ArrayLike<number>): number =>
    mean(transforms.map((transform) => weightedMean(transform, times)).filter((each) => !Number.isNaN(each)));
  return { scores, statistic };
}

interface TransformShares {
  /** The originals with variants of this transform, as indices in the group. */
  readonly places: Int32Array;
  /** Per such original, the mean of the smaller scores. */
  readonly shares: Float64Array;
}

function transformShares(right: RightMeasure, group: OriginalGroup, context: MetricContext): TransformShares[] {
  const own = group.originals.map((original) => right.score(original, context));
  const byTransform = new Map<string, Map<number, { sum: number; count: number }>>();
  for (const [index, variant] of group.variants.entries()) {
    const place = group.of[index]!;
    const originals = byTransform.get(variant.transform) ?? new Map<number, { sum: number; count: number }>();
    const share = originals.get(place) ?? { sum: 0, count: 0 };
    share.sum += Math.min(own[place]!, right.score(variant, context));
    share.count++;
    byTransform.set(variant.transform, originals.set(place, share));
  }
  return Array.from(byTransform.values(), (originals) => ({
    places: Int32Array.from(originals.keys()),
    shares: Float64Array.from(originals.values(), ({ sum, count }) => sum / count),
  }));
}

function weightedMean({ places, shares }: TransformShares, times: ArrayLike<number>): number {
  let sum = 0;
  let count = 0;
  for (let index = 0; index < places.length; index++) {
    const drawn = times[places[index]!]!;
    sum += drawn * shares[index]!;
    count += drawn;
  }
  return sum / count;
}

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
