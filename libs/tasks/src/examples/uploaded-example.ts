import type { TaskDefinition } from '@assay/contracts/tasks';
import { type ExampleOutcome, readExample } from './example.js';

/** The largest number of characters of an id or of a field name. */
export const LONGEST_NAME = 200;

/**
 * Reads a record as `readExample` does. Rejects long ids and field names, which are stored for the
 * dataset as a whole.
 */
export function readUploaded(task: TaskDefinition, record: unknown, place: number): ExampleOutcome {
  const outcome = readExample(task, record, place);
  if (!outcome.ok) return outcome;
  const { id, fields } = outcome.example;
  if (id.length > LONGEST_NAME) return { ok: false, why: `"id" has more than ${LONGEST_NAME} characters` };
  const isLong = Object.keys(fields).some((name) => name.length > LONGEST_NAME);
  return isLong ? { ok: false, why: `has a field whose name has more than ${LONGEST_NAME} characters` } : outcome;
}
