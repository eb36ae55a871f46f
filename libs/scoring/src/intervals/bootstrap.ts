import type { Rng } from '@assay/kernel';
import { bareEstimate, type Clusters, type Estimate } from '../estimate.js';
import { labelCountsOf, type CellTable } from '../label-cells.js';
import type { LabelCounts } from '../label-counts.js';
import { RESAMPLES } from '../resampling/cluster-draws.js';
import { drawingOf } from '../resampling/drawing.js';
import { resampledValues } from '../resampling/resampled-values.js';
import type { Statistic } from '../resampling/statistic.js';
import type { Work } from '../resampling/work.js';
import { clusteredError } from './bell-mccaffrey.js';
import { bootstrapEstimate, noInterval, type IntervalRules, type Sample } from './bca-interval.js';
import { drawBinomial } from './binomial-draw.js';
import { clusterProfiles, type Profiles } from './cluster-profiles.js';
import { drawnJackknife, jackknife, NO_JACKKNIFE, profileDeletions } from './jackknife.js';
import { definedOf, deviation, quantile } from './sorted-values.js';

export { RESAMPLES };
export { deviation, quantile } from './sorted-values.js';

/**
 * Returns a statistic of label counts with its bootstrap interval, see `bootstrapEstimate`. Draws
 * 1000 resamples of whole clusters, or of examples without `clusters`. Every resample uses the
 * labels of the whole group. `clusters` must not be crossed: see `resampledEstimate`.
 */
export function labelEstimate(
  statistic: (counts: LabelCounts) => number,
  table: CellTable,
  clusters: Clusters | null,
  rng: Rng,
  metric: IntervalRules,
): Estimate {
  const countsOf = labelCountsOf(table);
  const profiles = clusterProfiles(table, clusters);
  const observed = new Float64Array(table.cells);
  for (let index = 0; index < table.of.length; index++) observed[table.of[index]!]! += 1;
  const valueOf = (counts: Float64Array): number => statistic(countsOf(counts));
  const value = valueOf(observed);
  const sample: Sample = {
    value,
    examples: table.of.length,
    units: profiles.clusters,
    isClustered: clusters !== null,
    freedom: freedomOf(clusters, table.of.length),
    support: countsOf(observed).support.slice(),
    jackknife: jackknife(profileDeletions(profiles, observed, valueOf), value),
  };
  const why = noInterval(sample, metric);
  if (why) return bareEstimate(value, why);

  const resample = resampler(profiles, table.cells, rng);
  const values = new Float64Array(RESAMPLES);
  for (let draw = 0; draw < RESAMPLES; draw++) values[draw] = valueOf(resample());
  return bootstrapEstimate(sample, values, metric);
}

/**
 * Returns a statistic of examples with its bootstrap interval, see `bootstrapEstimate`. Draws 1000
 * resamples of whole clusters, or of examples without `clusters`; more than 10,000 of them are pooled
 * into groups. Crossed clusters are drawn independently of each other, see `drawingOf`. The value is
 * NaN if the statistic is undefined.
 *
 * @param statisticOf returns the statistic for draws of groups, given the group of each example
 * @param support the number of examples per gold label, for a metric that is a mean over labels
 */
export function* resampledEstimate(
  statisticOf: (groupOf: Int32Array) => Statistic,
  examples: number,
  clusters: Clusters | null,
  seed: string,
  metric: IntervalRules,
  support?: ArrayLike<number>,
): Work<Estimate> {
  const drawing = drawingOf(clusters, examples);
  const { groupOf, groups, units } = drawing;
  const statistic = statisticOf(groupOf);
  const value = statistic(new Uint8Array(groups).fill(1));
  if (Number.isNaN(value)) return bareEstimate(value);
  const few = { value, examples, units, isClustered: clusters !== null, freedom: 1, support, jackknife: NO_JACKKNIFE };
  const early = noInterval(few, metric);
  if (early) return bareEstimate(value, early);

  const spread = yield* drawnJackknife(statistic, drawing, value);
  const sample: Sample = { ...few, freedom: freedomOf(clusters, examples), jackknife: spread };
  const why = noInterval(sample, metric);
  if (why) return bareEstimate(value, why);

  const [values] = yield* resampledValues([statistic], seed, drawing);
  return bootstrapEstimate(sample, drawing.ways ? contracted(values!, value, spread.standardError) : values!, metric);
}

/**
 * Moves the draws of crossed clusters toward the value until they spread no more than the standard
 * error. Products of two draws count the variance of single examples three times (Owen 2007), which
 * makes their percentiles too wide.
 */
function contracted(values: Float64Array, value: number, standardError: number): Float64Array {
  const factor = Math.min(1, standardError / deviation(definedOf(values)));
  return factor < 1 ? values.map((drawn) => value + factor * (drawn - value)) : values;
}

/**
 * Returns `value` with the percentile interval of its resampled `values`. Undefined values are left
 * out; if they are more than a tenth, there is no interval. The interval always contains the value.
 */
export function percentileEstimate(value: number, values: Float64Array): Estimate {
  const defined = definedOf(values);
  if (defined.length < 0.9 * values.length) return bareEstimate(value);

  // a biased statistic may have nearly all its resamples on one side of its value
  const low = Math.min(value, quantile(defined, 0.025));
  const high = Math.max(value, quantile(defined, 0.975));
  return { value, low, high, standardError: deviation(defined) };
}

/**
 * Returns `value` with the plain percentile interval of its resampled `values`, which need not
 * contain the value. Undefined values are left out; no interval for fewer than two others.
 */
export function plainPercentileEstimate(value: number, values: Float64Array): Estimate {
  const defined = definedOf(values);
  if (defined.length < 2) return bareEstimate(value);
  const [low, high] = [quantile(defined, 0.025), quantile(defined, 0.975)];
  return { value, low, high, standardError: deviation(defined) };
}

/** Returns the degrees of freedom of a mean over these clusters. */
const freedomOf = (clusters: Clusters | null, examples: number): number =>
  clusters ? clusteredError(new Uint8Array(examples), clusters).freedom : Math.max(1, examples - 1);

/**
 * Returns a function that draws as many clusters as there are, with replacement, and returns the
 * counts per cell. Clusters with the same content are interchangeable, so it draws how often each
 * content occurs and derives the counts.
 */
function resampler(profiles: Profiles, cells: number, rng: Rng): () => Float64Array {
  const { start, cell, amount, multiplicity, clusters } = profiles;
  const contents = multiplicity.length;
  const counts = new Float64Array(cells);
  const times = new Int32Array(contents);
  // a binomial draw costs about as much as ten plain draws
  const drawTimes = contents * 10 < clusters ? drawByContent : drawByCluster;

  return () => {
    drawTimes(times, profiles, rng);
    counts.fill(0);
    for (let content = 0; content < contents; content++) {
      const drawn = times[content]!;
      if (drawn === 0) continue;
      const end = start[content + 1]!;
      for (let entry = start[content]!; entry < end; entry++) counts[cell[entry]!]! += drawn * amount[entry]!;
    }
    return counts;
  };
}

/**
 * Draws from the multinomial distribution as a sequence of binomials, each of the remaining draws.
 */
function drawByContent(times: Int32Array, { multiplicity, clusters }: Profiles, rng: Rng): void {
  let drawsLeft = clusters;
  let clustersLeft = clusters;
  times.fill(0);
  for (let content = 0; drawsLeft > 0; content++) {
    times[content] = drawBinomial(drawsLeft, multiplicity[content]! / clustersLeft, rng);
    drawsLeft -= times[content]!;
    clustersLeft -= multiplicity[content]!;
  }
}

/**
 * Makes one plain draw per cluster. The generator (sfc32, seeded from `rng`) is inlined, because a
 * call per draw would cost four times as much.
 */
function drawByCluster(times: Int32Array, { member, clusters }: Profiles, rng: Rng): void {
  times.fill(0);
  let a = rng.below(0x1_0000_0000) | 0;
  let b = rng.below(0x1_0000_0000) | 0;
  let c = rng.below(0x1_0000_0000) | 0;
  for (let draw = 1; draw <= clusters; draw++) {
    const bits = (a + b + draw) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + bits) | 0;
    times[member[(((bits >>> 0) / 0x1_0000_0000) * clusters) >>> 0]!]!++;
  }
}
