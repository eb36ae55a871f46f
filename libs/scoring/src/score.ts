import type { Clusters } from './estimate.js';
import type { OutputType } from './metric.js';
import { MetricAccumulator, type MetricScores } from './metric-accumulator.js';

/** Answers with their gold, example by example. */
export interface Scored {
  /** Per example, all acceptable answers. */
  readonly gold: readonly (readonly string[])[];
  /** Per example, the model's answer; null is a tolerated bad answer, which counts as wrong. */
  readonly predicted: readonly (string | null)[];
  /** Per example, one probability per label of the task. Default: none. */
  readonly probabilities?: readonly (ArrayLike<number> | null)[];
}

/** Returns the metrics of examples that are all in memory. For a stream use `MetricAccumulator`. */
export function score(
  scored: Scored,
  options: {
    readonly output?: OutputType;
    readonly labels?: readonly string[];
    readonly metrics: readonly string[];
    readonly seed: string;
    readonly clusters?: Clusters | null;
  },
): MetricScores {
  const accumulator = new MetricAccumulator(options);
  for (const [index, gold] of scored.gold.entries()) {
    const cluster = options.clusters ? String(options.clusters.of[index]) : null;
    const second = options.clusters?.crossed?.second;
    const secondCluster = second ? String(second.of[index]) : null;
    const probabilities = scored.probabilities?.[index] ?? null;
    accumulator.add({ gold, predicted: scored.predicted[index] ?? null, probabilities, cluster, secondCluster });
  }
  const { n, metrics } = accumulator.result();
  return { n, metrics };
}
