import type { GivenLabel } from '@assay/contracts/annotating';
import type { Collection } from '@assay/contracts/collection';
import type { TaskDefinition, TaskOutput } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { readExample } from '@assay/tasks/examples';
import type { Context } from '../rounds/context.js';
import { textIn, writtenInputs, writtenText } from '../rounds/inputs.js';

/** An example that a person wrote, checked against the task. */
export interface WrittenExample {
  /** All inputs of the task by name, as they are sent to a model. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The inputs that the person wrote, joined by line breaks. */
  readonly text: string;
  /** Every acceptable answer, in the form of `Example.gold`. */
  readonly gold: readonly string[];
  readonly span: { readonly start: number; readonly end: number } | null;
}

export interface GivenExample {
  readonly input: Readonly<Record<string, unknown>>;
  readonly label: GivenLabel;
  readonly span?: { readonly start: number; readonly end: number } | undefined;
}

/**
 * Reads an example that a person wrote for a context.
 * @throws DomainError `unknown_input`, `empty_input`, `input_too_long`, `unknown_label`,
 *   `answer_not_in_context`, `empty_answer`, `wrong_span`, `invalid_example`
 */
export function readWritten(
  task: TaskDefinition,
  collection: Pick<Collection, 'length'>,
  context: Pick<Context, 'content'>,
  given: GivenExample,
): WrittenExample {
  const input = readInput(task, collection, context, given.input);
  requireLabel(task.output, given.label);
  const read = readExample(task, { ...input, [task.output.name]: given.label }, 0);
  if (!read.ok) throw new DomainError('invalid', 'invalid_example', `Invalid example: ${read.why}.`);
  const text = writtenText(task, input);
  const { gold } = read.example;
  return { input, text, gold, span: readSpan(task.output, input, gold, given) };
}

/**
 * Returns all inputs of the task: the written ones, and those of the context.
 * @throws DomainError `unknown_input`, `empty_input`, `input_too_long`
 */
export function readInput(
  task: TaskDefinition,
  { length }: Pick<Collection, 'length'>,
  context: Pick<Context, 'content'>,
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const written = writtenInputs(task);
  const stranger = Object.keys(given).find((name) => !written.includes(name));
  if (stranger !== undefined) {
    throw new DomainError(
      'invalid',
      'unknown_input',
      `"${stranger}" is not a field to write in this task. Send ${written.map((name) => `"${name}"`).join(', ')}.`,
    );
  }
  for (const name of written) {
    const value = given[name];
    if (typeof value !== 'string' || isBlank(value)) {
      throw new DomainError('invalid', 'empty_input', `"${name}" is empty. Write a text.`);
    }
    const characters = Array.from(value).length;
    if (characters > length.longest) {
      throw new DomainError(
        'invalid',
        'input_too_long',
        `"${name}" has ${characters} characters. Shorten it to ${length.longest}.`,
      );
    }
  }
  return Object.fromEntries(
    task.inputs.map(({ name }) => [name, written.includes(name) ? given[name] : context.content[name]]),
  );
}

/**
 * Checks the label itself. `readExample` checks everything else.
 * @throws DomainError `unknown_label`, `empty_answer`
 */
function requireLabel(output: TaskOutput, label: GivenLabel): void {
  if (output.type === 'label' || output.type === 'labels') {
    const labels = (Array.isArray(label) ? label : [label]).map(String);
    const unknown = labels.find((each) => !output.labels.includes(each));
    if (unknown !== undefined || labels.length === 0 || (output.type === 'label' && typeof label !== 'string')) {
      const named = unknown === undefined ? 'This' : `"${unknown.slice(0, 80)}"`;
      throw new DomainError(
        'invalid',
        'unknown_label',
        `${named} is not a label of this task. Choose ${output.type === 'label' ? 'one' : 'some'} of: ${output.labels.join(', ')}.`,
      );
    }
    return;
  }
  if (output.type === 'number') return;
  const texts = Array.isArray(label) ? label : [label];
  if (texts.length === 0 || texts.some((text) => isBlank(String(text)))) {
    throw new DomainError('invalid', 'empty_answer', 'The answer is empty. Send the correct answer.');
  }
}

function readSpan(
  output: TaskOutput,
  input: Readonly<Record<string, unknown>>,
  gold: readonly string[],
  { span }: GivenExample,
): WrittenExample['span'] {
  if (output.type !== 'span') {
    if (span === undefined) return null;
    throw new DomainError('invalid', 'wrong_span', 'This task does not mark answers in a text. Omit "span".');
  }
  const text = textIn(input, output.of);
  const missing = gold.find((answer) => !text.includes(answer));
  const [first = ''] = gold;
  if (missing !== undefined || (span && text.slice(span.start, span.end) !== first)) {
    throw new DomainError(
      'invalid',
      'answer_not_in_context',
      `The answer "${(missing ?? first).slice(0, 80)}" is not ` +
        `${span ? 'at this position ' : ''}in "${output.of}". Mark it there.`,
    );
  }
  const start = span?.start ?? text.indexOf(first);
  return { start, end: start + first.length };
}

/** Returns whether a text consists of white space and invisible characters only. */
const isBlank = (text: string): boolean => /^[\s\p{Cf}\p{Cc}\p{Z}\u115f\u1160\u2800\u3164]*$/u.test(text);
