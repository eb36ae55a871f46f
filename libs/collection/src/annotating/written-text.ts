import type { TaskDefinition } from '@assay/contracts';
import { writtenInputs } from '../rounds/inputs.js';

type Inputs = Readonly<Record<string, unknown>>;

/** A text among inputs; empty where there is none of this name. */
export function textIn(input: Inputs, name: string): string {
  const value = input[name];
  return typeof value === 'string' ? value : '';
}

/** What a person wrote of an input, one field after the other. */
export const writtenText = (task: Pick<TaskDefinition, 'inputs' | 'collection'>, input: Inputs): string =>
  writtenInputs(task)
    .map((name) => textIn(input, name))
    .join('\n');
