import type { Clusters } from './estimate.js';
import type { OutputType } from './metric.js';
import { MetricAccumulator, type MetricScores } from './metric-accumulator.js';

/** Answers beside their gold, example by example. */
export interface Scored {
  /** Per example, every acceptable answer. */
  readonly gold: readonly (readonly string[])[];
  /** Per example, the model's answer; null is a tolerated bad one, which is wrong. */
  readonly predicted: readonly (string | null)[];
  /** Per example, one per label of the task; default none. */
  readonly probabilities?: readonly (ArrayLike<number> | null)[];
}

/** Metrics of examples that are all in memory; a stream takes `MetricAccumulator`. */
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
    const probabilities = scored.probabilities?.[index] ?? null;
    accumulator.add({ gold, predicted: scored.predicted[index] ?? null, probabilities, cluster });
  }
  const { n, metrics } = accumulator.result();
  return { n, metrics };
}
