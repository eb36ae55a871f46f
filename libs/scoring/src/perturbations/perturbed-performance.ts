import { pairedDifference } from '../comparison/compare-paired.js';
import { bareEstimate, type Clusters, type Estimate, type Partition } from '../estimate.js';
import { FEWEST_CLUSTERS } from '../intervals/bell-mccaffrey.js';
import { resampledEstimate } from '../intervals/bootstrap.js';
import type { ExampleMetric, Metric, MetricContext, MetricExample } from '../metric.js';
import type { Statistic } from '../resampling/statistic.js';
import { atOnce } from '../resampling/work.js';
import { weighedSet } from './answer-measures.js';
import type { OriginalGroup } from './original-group.js';

export interface PerturbedPerformance {
  /** Performance on the variants, against their gold; null if undefined. */
  readonly performance: number | null;
  /**
   * Performance on the same originals, each weighted by the number of its variants, minus
   * performance on the variants; null if undefined.
   */
  readonly drop: Estimate | null;
}

/**
 * Returns the performance on the variants and the drop to it. The interval of the drop is that of a
 * paired difference if the metric is a mean, otherwise the BCa bootstrap. An original and its
 * variants are drawn together.
 */
export function perturbedPerformance(
  metric: Metric,
  group: OriginalGroup,
  context: MetricContext,
  seed: string,
): PerturbedPerformance {
  const { originals } = group;
  const valuesOf = weighed(metric, group, context);
  const { performance, drop } = valuesOf(new Int32Array(originals.length).fill(1));
  if (Number.isNaN(drop)) return { performance: Number.isNaN(performance) ? null : performance, drop: null };

  if (!group.clusters && originals.length < FEWEST_CLUSTERS) {
    return { performance, drop: bareEstimate(drop, 'too few examples') };
  }
  if (metric.kind === 'mean') return { performance, drop: meanDrop(metric, group, context) };
  if (isUnchanged(group)) return { performance, drop: bareEstimate(drop, 'no variation') };

  const width = metric.range[1] - metric.range[0];
  const rules = { range: [-width, width], unit: metric.unit } as const;
  const dropOf = (groupOf: Int32Array): Statistic => {
    const times = new Int32Array(originals.length);
    return (drawn) => {
      for (let place = 0; place < times.length; place++) times[place] = drawn[groupOf[place]!]!;
      return valuesOf(times).drop;
    };
  };
  return {
    performance,
    drop: atOnce(resampledEstimate(dropOf, originals.length, group.clusters, `${seed}/drop`, rules)),
  };
}

/** Returns whether every variant has the answer of its original, so that nothing shows how often they differ. */
const isUnchanged = ({ originals, variants, of }: OriginalGroup): boolean =>
  variants.every(({ predicted }, index) => predicted === originals[of[index]!]!.predicted);

type Weighed = (times: Int32Array) => { readonly performance: number; readonly drop: number };

/** Prepares the performance on the variants and the drop, given how often each original is drawn. */
function weighed(metric: Metric, group: OriginalGroup, context: MetricContext): Weighed {
  const ofOriginals = weighedSet(metric, group.originals, context);
  const ofVariants = weighedSet(metric, group.variants, context);
  const originalTimes = new Int32Array(group.originals.length);
  const variantTimes = new Int32Array(group.variants.length);
  return (times) => {
    for (let place = 0; place < times.length; place++) originalTimes[place] = times[place]! * group.counts[place]!;
    for (let index = 0; index < variantTimes.length; index++) variantTimes[index] = times[group.of[index]!]!;
    const performance = ofVariants(variantTimes);
    return { performance, drop: ofOriginals(originalTimes) - performance };
  };
}

/** Returns the mean over the variants of the score of the original minus that of the variant. */
function meanDrop(metric: ExampleMetric, group: OriginalGroup, context: MetricContext): Estimate {
  const scoreOf = ({ gold, predicted, probabilities }: MetricExample): number =>
    metric.perExample(gold, predicted, probabilities, context);
  const own = group.originals.map(scoreOf);
  const differences = Float64Array.from(group.variants, (variant, index) => own[group.of[index]!]! - scoreOf(variant));
  const { difference } = pairedDifference(differences, variantClusters(group), metric.range);
  if (difference.low === null) return bareEstimate(difference.value, 'too few clusters');
  return difference.low === difference.high ? bareEstimate(difference.value, 'no variation') : difference;
}

/** Returns the clusters of the variants. Variants of one original are always in the same cluster. */
function variantClusters({ clusters, of, originals }: OriginalGroup): Clusters {
  const ofVariants = (partition: Partition): Partition => ({
    of: of.map((original) => partition.of[original]!),
    count: partition.count,
  });
  if (!clusters) return { of, count: originals.length };
  const { crossed } = clusters;
  const one = ofVariants(clusters);
  return crossed ? { ...one, crossed: { second: ofVariants(crossed.second), both: ofVariants(crossed.both) } } : one;
}
