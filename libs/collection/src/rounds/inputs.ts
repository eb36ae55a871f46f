import type { TaskDefinition } from '@assay/contracts';

type Input = TaskDefinition['inputs'][number];

/** Names of the inputs that people write: as the task says, or its last text. */
export function writtenInputs(task: Pick<TaskDefinition, 'inputs' | 'collection'>): readonly string[] {
  const last = task.inputs.findLast(({ type }) => type === 'text');
  return task.collection?.written ?? (last ? [last.name] : []);
}

/** The inputs that a context gives: all that people do not write. */
export function givenInputs(task: Pick<TaskDefinition, 'inputs' | 'collection'>): readonly Input[] {
  const written = new Set(writtenInputs(task));
  return task.inputs.filter(({ name }) => !written.has(name));
}
