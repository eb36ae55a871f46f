import { Z95, type Clusters, type Estimate } from '../estimate.js';
import { clusterStandardError, mean } from './cluster-standard-error.js';

/**
 * A proportion with its Wilson interval (Wilson 1927) over 0/1 `scores`; with clusters at the effective size n* = n / max(1, deff), deff =
 * n·SE² / (p(1 − p)), and n* = the number of clusters where p is 0 or 1. A single cluster with both answers in it: no interval.
 */
export function proportionEstimate(scores: ArrayLike<number>, clusters: Clusters | null): Estimate {
  const value = mean(scores);
  const units = clusters?.count ?? scores.length;
  return effectiveWilson(
    { value, examples: scores.length, units, isClustered: clusters !== null },
    clusterStandardError(scores, clusters, value),
  );
}

/** What a proportion over clusters is made of, however many examples there are: c counts the clusters, k_c of n_c examples are 1. */
export interface ProportionSums {
  /** Clusters that have an example. */
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

/** As `proportionEstimate` with clusters, from their sums alone: Σ (k_c − p n_c)² = Σ k² − 2p Σ nk + p² Σ n². Null of no example. */
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
  /** What is independent of each other: clusters, or examples. */
  readonly units: number;
  readonly isClustered: boolean;
}

function effectiveWilson({ value, examples, units, isClustered }: Proportion, ofUnits: number): Estimate {
  const variance = value * (1 - value);
  const edge = value === 0 || value === 1;
  if (!edge && units < 2) return { value, low: null, high: null, standardError: null };

  // clusters that happen to be alike do not make the examples more than independent: deff ≥ 1
  const standardError = edge ? 0 : Math.max(Math.sqrt(variance / examples), ofUnits);
  const { low, high } = wilson(value, effectiveSize());
  // an edge has no spread to estimate from; the interval's width still tells how much it may be off
  return { value, low, high, standardError: edge ? (high - low) / (2 * Z95) : standardError };

  function effectiveSize(): number {
    if (edge) return units;
    if (!isClustered) return examples;
    const designEffect = (examples * standardError * standardError) / variance;
    return examples / Math.max(1, designEffect);
  }
}

/** Wilson's 95% interval of the proportion `p` of `n` observations; `n` need not be whole. */
export function wilson(p: number, n: number): { readonly low: number; readonly high: number } {
  const z2 = Z95 * Z95;
  const centre = (p + z2 / (2 * n)) / (1 + z2 / n);
  const half = (Z95 / (1 + z2 / n)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n * n));
  // rounding must not push an end past the value or the range
  return { low: Math.max(0, Math.min(p, centre - half)), high: Math.min(1, Math.max(p, centre + half)) };
}
