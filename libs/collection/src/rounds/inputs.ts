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

type Inputs = Readonly<Record<string, unknown>>;

/** Returns the text of an input; empty if the input is missing or not a text. */
export function textIn(input: Inputs, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the inputs that the person wrote, joined by line breaks. */
export const writtenText = (task: Pick<TaskDefinition, 'inputs' | 'collection'>, input: Inputs): string =>
  writtenInputs(task)
    .map((name) => textIn(input, name))
    .join('\n');
