import type { TaskDefinition } from '@assay/contracts';
import { type ExampleOutcome, readExample } from './example.js';

/** Characters of an id, and of the name of a field. */
export const LONGEST_NAME = 200;

/** Reads a record as `readExample`, and refuses names that are longer than what may be kept of all examples together. */
export function readUploaded(task: TaskDefinition, record: unknown, place: number): ExampleOutcome {
  const outcome = readExample(task, record, place);
  if (!outcome.ok) return outcome;
  const { id, fields } = outcome.example;
  if (id.length > LONGEST_NAME) return { ok: false, why: `"id" has more than ${LONGEST_NAME} characters` };
  const isLong = Object.keys(fields).some((name) => name.length > LONGEST_NAME);
  return isLong ? { ok: false, why: `has a field whose name has more than ${LONGEST_NAME} characters` } : outcome;
}
