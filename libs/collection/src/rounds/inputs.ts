import type { TaskDefinition } from '@assay/contracts/tasks';

type Input = TaskDefinition['inputs'][number];

/**
 * Returns the names of the inputs that people write: those named by the task, otherwise its last
 * text input.
 */
export function writtenInputs(task: Pick<TaskDefinition, 'inputs' | 'collection'>): readonly string[] {
  const last = task.inputs.findLast(({ type }) => type === 'text');
  return task.collection?.written ?? (last ? [last.name] : []);
}

/** Returns the inputs that a context gives: all that people do not write. */
export function givenInputs(task: Pick<TaskDefinition, 'inputs' | 'collection'>): readonly Input[] {
  const written = new Set(writtenInputs(task));
  return task.inputs.filter(({ name }) => !written.has(name));
}
