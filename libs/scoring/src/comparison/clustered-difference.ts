import type { Clusters } from '../estimate.js';
import { clusterStandardError, clusterSums } from '../intervals/cluster-standard-error.js';

/** A standard error with the degrees of freedom of its t distribution. */
export interface ClusteredError {
  readonly standardError: number;
  readonly freedom: number;
}

/**
 * Returns the Bell–McCaffrey standard error of a mean over clusters (CR2 residuals) with
 * Satterthwaite degrees of freedom. With p_c the share of the examples in cluster c, e_c the sum of
 * its deviations from the mean, and q_c = p_c² / (1 − p_c):
 *
 *     SE² = (1/n²) Σ e_c² / (1 − p_c)
 *     df  = 1 / (Σ p_c² + (Σ q_c)² − Σ q_c²)
 *
 * Without `clusters` each example is a cluster; df is then n − 1. At least two clusters.
 */
export function clusteredError(values: Float64Array, clusters: Clusters | null, average: number): ClusteredError {
  const n = values.length;
  if (!clusters) return { standardError: clusterStandardError(values, null, average), freedom: n - 1 };

  const sizes = new Float64Array(clusters.count);
  for (const cluster of clusters.of) sizes[cluster]! += 1;
  const deviations = clusterSums(values, clusters, average);
  let squares = 0;
  let shares = 0;
  let q = 0;
  let squaredQ = 0;
  for (let cluster = 0; cluster < clusters.count; cluster++) {
    const share = sizes[cluster]! / n;
    squares += deviations[cluster]! ** 2 / (1 - share);
    shares += share * share;
    const ratio = (share * share) / (1 - share);
    q += ratio;
    squaredQ += ratio * ratio;
  }
  return { standardError: Math.sqrt(squares) / n, freedom: 1 / (shares + q * q - squaredQ) };
}
