import { bareEstimate, Z95, type Clusters, type Estimate } from '../estimate.js';
import { clusterStandardError, mean } from './cluster-standard-error.js';

/**
 * Returns the proportion of 0/1 `scores` with its Wilson interval (Wilson 1927). With clusters it
 * uses the effective size n* = n / max(1, deff), deff = n·SE² / (p(1 − p)), and n* = the number of
 * clusters if p is 0 or 1. No interval for a single cluster that contains both scores.
 */
export function proportionEstimate(scores: ArrayLike<number>, clusters: Clusters | null): Estimate {
  const value = mean(scores);
  const units = clusters?.count ?? scores.length;
  return effectiveWilson(
    { value, examples: scores.length, units, isClustered: clusters !== null },
    clusterStandardError(scores, clusters, value),
  );
}

/**
 * The sums that determine a proportion over clusters, however many examples there are: cluster c
 * has n_c examples, of which k_c are 1.
 */
export interface ProportionSums {
  /** Number of clusters with an example. */
  readonly clusters: number;
  /** Σ n_c */
  readonly examples: number;
  /** Σ k_c */
  readonly ones: number;
  /** Σ n_c² */
  readonly squaredExamples: number;
  /** Σ k_c² */
  readonly squaredOnes: number;
  /** Σ n_c k_c */
  readonly products: number;
}

/**
 * Returns the same as `proportionEstimate` with clusters, from sums over them alone, because
 * Σ (k_c − p n_c)² = Σ k² − 2p Σ nk + p² Σ n². Null without examples.
 */
export function proportionFromSums(sums: ProportionSums): Estimate | null {
  const { clusters, examples, ones, squaredExamples, squaredOnes, products } = sums;
  if (examples === 0) return null;
  const value = ones / examples;
  const squares = Math.max(0, squaredOnes - 2 * value * products + value * value * squaredExamples);
  return effectiveWilson(
    { value, examples, units: clusters, isClustered: true },
    Math.sqrt((clusters / (clusters - 1)) * squares) / examples,
  );
}

interface Proportion {
  readonly value: number;
  readonly examples: number;
  /** Number of independent units: clusters, or examples without clusters. */
  readonly units: number;
  readonly isClustered: boolean;
}

function effectiveWilson({ value, examples, units, isClustered }: Proportion, ofUnits: number): Estimate {
  const variance = value * (1 - value);
  const edge = value === 0 || value === 1;
  if (!edge && units < 2) return bareEstimate(value);

  // clusters that are alike by chance give no more information than independent examples: deff ≥ 1
  const standardError = edge ? 0 : Math.max(Math.sqrt(variance / examples), ofUnits);
  const { low, high } = wilson(value, effectiveSize());
  // scores that are all equal have no spread to estimate from, but the width of the interval shows
  // the uncertainty
  return { value, low, high, standardError: edge ? (high - low) / (2 * Z95) : standardError };

  function effectiveSize(): number {
    if (edge) return units;
    if (!isClustered) return examples;
    const designEffect = (examples * standardError * standardError) / variance;
    return examples / Math.max(1, designEffect);
  }
}

/**
 * Returns Wilson's 95% interval of the proportion `p` of `n` observations. `n` need not be an
 * integer.
 */
export function wilson(p: number, n: number): { readonly low: number; readonly high: number } {
  const z2 = Z95 * Z95;
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  // rounding must not move a bound past the value or the range
  return { low: Math.max(0, Math.min(p, centre - half)), high: Math.min(1, Math.max(p, centre + half)) };
}
