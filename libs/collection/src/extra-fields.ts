import type { ExtraField } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';

const LONGEST_TEXT = 5_000;

/**
 * Validates the answers to a task's own questions (its extra fields). Returns the answers by field
 * name; unanswered optional questions are omitted.
 * @throws DomainError `unknown_field`, `wrong_field`, `field_missing`
 */
export function readExtraFields(
  fields: readonly ExtraField[],
  given: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const stranger = Object.keys(given).find((name) => !fields.some((field) => field.name === name));
  if (stranger !== undefined) {
    const known = fields.map(({ name }) => name).join(', ') || 'none';
    throw refusal('unknown_field', stranger, `is not a question of this task; there are: ${known}`);
  }
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = given[field.name] ?? null;
      const isEmpty = value === null || (typeof value === 'string' && value.trim() === '');
      if (isEmpty && field.required) throw refusal('field_missing', field.name, `must be answered: ${field.label}`);
      if (isEmpty) return [];
      const why = wrongValue(field, value);
      if (why !== null) throw refusal('wrong_field', field.name, why);
      return [[field.name, value]];
    }),
  );
}

function wrongValue({ type, choices = [] }: ExtraField, value: unknown): string | null {
  switch (type) {
    case 'text':
      return typeof value === 'string' && value.length <= LONGEST_TEXT
        ? null
        : `must be a text of at most ${LONGEST_TEXT} characters`;
    case 'choice':
      return choices.some((choice) => choice === value) ? null : `must be one of: ${choices.join(', ')}`;
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number';
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false';
  }
}

const refusal = (code: string, name: string, message: string): DomainError =>
  new DomainError('invalid', code, `"${name}" ${message}.`, [{ path: `extra.${name}`, message }]);
