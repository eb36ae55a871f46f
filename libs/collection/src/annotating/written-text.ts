import type { TaskDefinition } from '@assay/contracts/tasks';
import { writtenInputs } from '../rounds/inputs.js';

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
