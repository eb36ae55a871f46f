import type { Answer } from '@assay/contracts';
import type { TaskDefinition, TaskOutput } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { contextOf, type ExampleMetric, metricNamed } from '@assay/scoring/metrics';
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

/**
 * Returns the same metric.
 * @throws DomainError `no_right_or_wrong` if there is none
 */
export function expectRightness(definition: TaskDefinition): ExampleMetric {
  const metric = rightness(definition);
  if (metric) return metric;
  const { type } = definition.output;
  const text = `The output of this task has the type ${type}, so answers are neither right nor wrong.`;
  throw new DomainError('invalid', 'no_right_or_wrong', text);
}

/** Returns whether an answer is right. A null answer is an invalid one that the task tolerated. */
export function isRight(
  metric: ExampleMetric,
  definition: TaskDefinition,
  { gold }: DatasetRow,
  answer: Answer | null,
): boolean {
  return metric.perExample(gold, answer?.text ?? null, answer?.probabilities ?? null, contextAt(definition)) === 1;
}

/** Returns the facts about a task that its metrics use. */
export const contextAt = ({ output, language, normalise }: TaskDefinition) =>
  contextOf({ labels: labelsOf(output), language, normalise });

export const labelsOf = (output: TaskOutput): readonly string[] => ('labels' in output ? output.labels : []);
