import type { Readable } from 'node:stream';
import { LARGEST_NUMBER } from '@assay/contracts';
import type { TaskDefinition, TaskOutput } from '@assay/contracts/tasks';
import { lineGroups } from './line-groups.js';

/**
 * An example as read from a file. Fields that the task does not know are stored but never sent to a
 * model.
 */
export interface Example {
  readonly id: string;
  /**
   * Every acceptable answer: a label, a span, a text, or a number as text. For the output `labels`:
   * the sorted set of labels as JSON.
   */
  readonly gold: readonly string[];
  readonly fields: Readonly<Record<string, unknown>>;
}

export type ExampleOutcome =
  { readonly ok: true; readonly example: Example } | { readonly ok: false; readonly why: string };

/**
 * Reads one record of a dataset of the task. `place` (the line's number) is the id of a record
 * without one.
 */
export function readExample(task: TaskDefinition, record: unknown, place: number): ExampleOutcome {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return refuse('is not a JSON object');

  const fields = record as Readonly<Record<string, unknown>>;
  for (const input of task.inputs) {
    const why = wrongInput(input.type, fields[input.name]);
    if (why !== null) return refuse(`"${input.name}" ${why}`);
  }
  const gold = readGold(task.output, fields[task.output.name]);
  if (typeof gold === 'string') return refuse(`"${task.output.name}" ${gold}`);

  const id = fields['id'] ?? fields['uid'] ?? place;
  if ((typeof id !== 'string' && typeof id !== 'number') || id === '')
    return refuse('"id" is neither a text nor a number');
  return { ok: true, example: { id: String(id), gold, fields } };
}

/**
 * Returns the part of an example that a model receives: the task's input fields, in the task's
 * order.
 */
export function inputsOf(task: TaskDefinition, fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(task.inputs.map((input) => [input.name, fields[input.name]]));
}

/**
 * Yields the id and inputs of each stored example (JSON Lines), for datasets whose inputs alone are
 * public.
 */
export async function* inputLines(task: TaskDefinition, content: Readable): AsyncGenerator<string> {
  for await (const lines of lineGroups(content)) {
    for (const line of lines) {
      const fields = JSON.parse(line) as Readonly<Record<string, unknown>>;
      yield `${JSON.stringify({ id: fields['id'], ...inputsOf(task, fields) })}\n`;
    }
  }
}

/** Returns the distinct values of a slice field in an example. An empty value is not a slice. */
export function sliceValues(value: unknown): readonly string[] {
  const values = Array.isArray(value) ? value : [value];
  const texts = values
    .filter((each) => typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean')
    // PostgreSQL cannot store NUL in a text
    .map((each) => String(each).replaceAll('\0', '\uFFFD'))
    .filter((text) => text !== '');
  return [...new Set(texts)];
}

/** Returns the problem with the value of an input, or null if it is valid. */
export function wrongInput(type: 'text' | 'image' | 'number', value: unknown): string | null {
  if (value === undefined || value === null) return 'is missing';
  switch (type) {
    case 'text':
      return typeof value === 'string' ? null : 'is not text';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'is not a finite number';
    case 'image':
      return isImage(value) ? null : 'is not an image of the form {"b64", "mediaType"}';
  }
}

function isImage(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'b64' in value &&
    typeof value.b64 === 'string' &&
    'mediaType' in value &&
    typeof value.mediaType === 'string'
  );
}

/** @returns the acceptable answers, or the problem as a string */
export function readGold(output: TaskOutput, value: unknown): readonly string[] | string {
  if (value === undefined || value === null) return 'is missing';
  if (output.type === 'number') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'is not a finite number';
    return Math.abs(value) <= LARGEST_NUMBER
      ? [String(value)]
      : `is too large to score: the limit is ±${LARGEST_NUMBER}`;
  }

  const list = Array.isArray(value) ? (value as unknown[]) : [value];
  if (!list.every((each) => typeof each === 'string')) return 'is neither a text nor a list of texts';
  if (output.type === 'span' || output.type === 'text') return list.length === 0 ? [''] : list;

  if (list.length === 0) return 'is an empty list';
  const unknown = list.find((label) => !output.labels.includes(label));
  if (unknown !== undefined) return `is "${unknown}", which is not one of the labels ${output.labels.join(', ')}`;
  return output.type === 'labels' ? [JSON.stringify([...new Set(list)].sort())] : list;
}

const refuse = (why: string): ExampleOutcome => ({ ok: false, why });

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
