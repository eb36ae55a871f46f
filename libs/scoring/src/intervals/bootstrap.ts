import type { Rng } from '@assay/kernel';
import type { Clusters, Estimate } from '../estimate.js';
import { labelCountsOf, type CellTable } from '../label-cells.js';
import type { LabelCounts } from '../label-counts.js';
import { drawBinomial } from './binomial-draw.js';
import { clusterProfiles, type Profiles } from './cluster-profiles.js';

export const RESAMPLES = 1000;

/**
 * A statistic of labels with its percentile bootstrap interval (Efron & Tibshirani 1993, ch. 13): 1000 resamples of whole clusters (of
 * examples without `clusters`). The labels are those of the whole group in every resample. Fewer than two clusters: no interval.
 */
export function labelEstimate(
  statistic: (counts: LabelCounts) => number,
  table: CellTable,
  clusters: Clusters | null,
  rng: Rng,
): Estimate {
  const countsOf = labelCountsOf(table);
  const profiles = clusterProfiles(table, clusters);
  const observed = new Float64Array(table.cells);
  for (let index = 0; index < table.of.length; index++) observed[table.of[index]!]! += 1;
  const value = statistic(countsOf(observed));
  if (profiles.clusters < 2) return { value, low: null, high: null, standardError: null };

  const resample = resampler(profiles, table.cells, rng);
  const values = new Float64Array(RESAMPLES);
  for (let draw = 0; draw < RESAMPLES; draw++) values[draw] = statistic(countsOf(resample()));
  values.sort();
  return { value, low: quantile(values, 0.025), high: quantile(values, 0.975), standardError: deviation(values) };
}

/**
 * Draws as many clusters as there are, with replacement, and gives the counts per cell. Clusters of the same content are interchangeable, so
 * where many are alike, the number of each kind is drawn instead of every cluster.
 */
function resampler(profiles: Profiles, cells: number, rng: Rng): () => Float64Array {
  const counts = new Float64Array(cells);
  const { start, cell, amount, multiplicity, member, clusters } = profiles;
  const add = (profile: number, times: number): void => {
    for (let entry = start[profile]!; entry < start[profile + 1]!; entry++) {
      counts[cell[entry]!]! += times * amount[entry]!;
    }
  };

  // a binomial draw costs about as much as six plain ones
  if (multiplicity.length * 6 < clusters) {
    return () => {
      counts.fill(0);
      let drawsLeft = clusters;
      let clustersLeft = clusters;
      for (let profile = 0; drawsLeft > 0; profile++) {
        const times = drawBinomial(drawsLeft, multiplicity[profile]! / clustersLeft, rng);
        if (times > 0) add(profile, times);
        drawsLeft -= times;
        clustersLeft -= multiplicity[profile]!;
      }
      return counts;
    };
  }
  return () => {
    counts.fill(0);
    for (let draw = 0; draw < clusters; draw++) add(member[rng.below(clusters)]!, 1);
    return counts;
  };
}

/** Quantile of ascending values, linear between neighbours (R's type 7). */
export function quantile(sorted: Float64Array, probability: number): number {
  const place = probability * (sorted.length - 1);
  const below = Math.floor(place);
  const low = sorted[below]!;
  return low + (place - below) * ((sorted[below + 1] ?? low) - low);
}

function deviation(values: Float64Array): number {
  let sum = 0;
  for (const value of values) sum += value;
  const average = sum / values.length;
  let squares = 0;
  for (const value of values) squares += (value - average) ** 2;
  return Math.sqrt(squares / (values.length - 1));
}
