import type { TaskDefinition } from '@assay/contracts/tasks';

/** The fields of examples that were collected here whose values make examples alike. */
const COLLECTED = ['annotator', 'context_id'];

/**
 * Returns the fields by which the examples of a dataset are clustered: that of the task; for a
 * collected round of a task without one, the annotator and the context, which cross each other. A
 * field of the task with such a name has another meaning.
 * @param isCollected true for a dataset that a collected round was frozen as
 */
export function clusterFields(
  { cluster, inputs, output }: Pick<TaskDefinition, 'cluster' | 'inputs' | 'output'>,
  isCollected: boolean,
): readonly string[] {
  if (cluster !== undefined) return [cluster];
  const own = [...inputs, output].map(({ name }) => name);
  return isCollected ? COLLECTED.filter((name) => !own.includes(name)) : [];
}
