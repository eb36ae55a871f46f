import type { GivenLabel } from '@assay/contracts/annotating';
import type { TaskOutput } from '@assay/contracts/tasks';
import { DomainError } from '@assay/kernel';
import { contextOf, squadF1 } from '@assay/scoring/metrics';
import { readGold } from '@assay/tasks/examples';
import { type ComparedTask, isAcceptable } from '../annotating/fooled-rule.js';

/** The SQuAD F1 (0 to 1) from which two texts count as the same label. */
const SAME_TEXT = 0.8;

/**
 * Reads the label that a validator considers right, in the form of `Example.gold`.
 * @param input the inputs of the example; a span must occur in the input that the output refers to
 * @throws DomainError `unknown_label`, `wrong_label`, `empty_label`, `span_not_in_input`
 */
export function readJudgedLabel(
  output: TaskOutput,
  given: GivenLabel,
  input: Readonly<Record<string, unknown>>,
): readonly string[] {
  const texts = Array.isArray(given) ? given : [given];
  const isBlank = texts.every((text) => typeof text === 'string' && text.trim() === '');
  if (isBlank) throw new DomainError('invalid', 'empty_label', `"${output.name}" is empty. Send the correct label.`);
  if (output.type === 'label' && Array.isArray(given) && given.length > 1) {
    throw new DomainError('invalid', 'wrong_label', `"${output.name}" takes one label. Choose the one that fits best.`);
  }
  const gold = readGold(output, given);
  if (typeof gold === 'string') throw refusedLabel(output, texts, gold);
  if (output.type === 'span') expectInside(gold, input[output.of], output.of);
  return gold;
}

/**
 * Returns whether two labels, each in the form of `Example.gold`, mean the same: they share an
 * acceptable answer, or for spans and texts their SQuAD F1 is at least `SAME_TEXT`.
 */
export function sameLabel(task: ComparedTask, one: readonly string[], other: readonly string[]): boolean {
  const { type } = task.output;
  const isGraded = type === 'span' || type === 'text';
  const context = contextOf(task);
  return one.some(
    (label) =>
      isAcceptable(task, other, label) || (isGraded && squadF1.perExample(other, label, null, context) >= SAME_TEXT),
  );
}

function refusedLabel(output: TaskOutput, given: readonly unknown[], why: string): DomainError {
  const labels = 'labels' in output ? output.labels : null;
  const isUnknown = labels && given.some((text) => typeof text === 'string' && !labels.includes(text));
  const code = isUnknown ? 'unknown_label' : 'wrong_label';
  return new DomainError('invalid', code, `"${output.name}" ${why}.`, [{ path: 'label', message: why }]);
}

function expectInside(gold: readonly string[], text: unknown, field: string): void {
  const stranger = gold.find((span) => typeof text !== 'string' || !text.includes(span));
  if (stranger === undefined) return;
  throw new DomainError(
    'invalid',
    'span_not_in_input',
    `"${stranger.slice(0, 80)}" does not occur in "${field}". Mark the exact answer there.`,
  );
}
