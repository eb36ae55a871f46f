import type { Collection, ExtraField } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';

const LONGEST_TEXT = 5_000;

/**
 * Validates the types of answers to a task's own questions, and returns them unchanged. Required
 * questions may be unanswered: see `requireOwnFields`.
 * @throws DomainError `unknown_field`, `invalid_field`
 */
export function readOwnFields(
  fields: readonly ExtraField[],
  given: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  for (const [name, value] of Object.entries(given)) {
    const field = fields.find((each) => each.name === name);
    if (!field) throw new DomainError('invalid', 'unknown_field', `"${name}" is not a question of this task.`);
    const wrong = wrongAnswer(field, value);
    if (wrong !== null) throw new DomainError('invalid', 'invalid_field', `The answer to "${name}" ${wrong}.`);
  }
  return given;
}

/** Returns the names of the required questions without an answer. */
export const unanswered = (
  fields: readonly ExtraField[],
  given: Readonly<Record<string, unknown>>,
): readonly string[] =>
  fields.filter(({ name, required }) => required && isNothing(given[name])).map(({ name }) => name);

/** @throws DomainError `field_missing` */
export function requireOwnFields(fields: readonly ExtraField[], given: Readonly<Record<string, unknown>>): void {
  const missing = unanswered(fields, given);
  if (missing.length === 0) return;
  throw new DomainError(
    'invalid',
    'field_missing',
    `Please answer ${missing.map((name) => `"${name}"`).join(', ')} too.`,
  );
}

/**
 * Returns what the task asks for besides the example and the annotation lacks, as paths:
 * `explanations.example`, `explanations.model`, `extra.source`.
 */
export function missingOf(
  collection: Pick<Collection, 'explanations' | 'fields'>,
  annotation: {
    readonly explanations: Readonly<Partial<Record<'example' | 'model', string>>>;
    readonly extra: Readonly<Record<string, unknown>>;
  },
): string[] {
  return [
    ...collection.explanations
      .filter((kind) => isNothing(annotation.explanations[kind]))
      .map((kind) => `explanations.${kind}`),
    ...unanswered(collection.fields, annotation.extra).map((name) => `extra.${name}`),
  ];
}

function wrongAnswer(field: ExtraField, value: unknown): string | null {
  switch (field.type) {
    case 'text':
      if (typeof value !== 'string') return 'is no text';
      return value.length > LONGEST_TEXT ? `is longer than ${LONGEST_TEXT} characters` : null;
    case 'choice':
      return typeof value === 'string' && field.choices?.includes(value)
        ? null
        : `is none of: ${(field.choices ?? []).join(', ')}`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'is no number';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'is neither true nor false';
  }
}

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');
