import type { Answer } from '@assay/contracts';
import type { TaskDefinition } from '@assay/contracts/tasks';
import { type ExampleMetric, metricNamed } from '@assay/scoring/metrics';
import type { DatasetRow } from '@assay/tasks/examples';

/**
 * Returns the metric that tells right from wrong answers for an output type, independently of the
 * task's performance metric. Null if there is none.
 */
export function rightness({ output }: TaskDefinition): ExampleMetric | null {
  if (output.type === 'number') return null;
  const name = output.type === 'label' || output.type === 'labels' ? 'accuracy' : 'exact_match';
  const metric = metricNamed(name, output.type);
  return metric.kind === 'mean' ? metric : null;
}

/** Returns whether an answer is right. A null answer is an invalid one that the task tolerated. */
export function isRight(
  metric: ExampleMetric,
  { output }: TaskDefinition,
  { gold }: DatasetRow,
  answer: Answer | null,
): boolean {
  const labels = 'labels' in output ? output.labels : [];
  return metric.perExample(gold, answer?.text ?? null, answer?.probabilities ?? null, { labels }) === 1;
}
