import type { Collection, ExtraField } from '@assay/contracts/collection';
import { DomainError } from '@assay/kernel';

/** Answers to a task's own questions (its extra fields), by field name. */
type Answers = Readonly<Record<string, unknown>>;

const LONGEST_TEXT = 5_000;

/**
 * Validates the answers of a validator. Returns them without the empty ones.
 * @throws DomainError `unknown_field`, `wrong_field`, `field_missing`
 */
export function readExtraFields(fields: readonly ExtraField[], given: Answers = {}): Answers {
  requireKnown(fields, given);
  const answered = Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmpty(value)));
  requireExtraFields(fields, answered);
  requireTypes(fields, answered, 'wrong_field');
  return answered;
}

/**
 * Validates the types of answers. Required questions may be unanswered: see `requireExtraFields`.
 * @param code the code of the error if an answer has another type than its field
 * @throws DomainError `unknown_field`, `code`
 */
export function checkExtraFields(
  fields: readonly ExtraField[],
  given: Answers,
  code: 'invalid_field' | 'wrong_field',
): void {
  requireKnown(fields, given);
  requireTypes(fields, given, code);
}

/** @throws DomainError `field_missing` */
export function requireExtraFields(fields: readonly ExtraField[], given: Answers): void {
  const missing = unanswered(fields, given);
  if (missing.length > 0) throw refusal('field_missing', missing, 'must be answered');
}

/**
 * Returns what the task asks for besides the example and the annotation lacks, as paths:
 * `explanations.example`, `explanations.model`, `extra.source`.
 */
export function missingOf(
  collection: Pick<Collection, 'explanations' | 'fields'>,
  annotation: {
    readonly explanations: Readonly<Partial<Record<'example' | 'model', string>>>;
    readonly extra: Answers;
  },
): string[] {
  return [
    ...collection.explanations
      .filter((kind) => isEmpty(annotation.explanations[kind]))
      .map((kind) => `explanations.${kind}`),
    ...unanswered(collection.fields, annotation.extra).map((name) => `extra.${name}`),
  ];
}

function requireKnown(fields: readonly ExtraField[], given: Answers): void {
  const unknown = Object.keys(given).filter((name) => !fields.some((field) => field.name === name));
  if (unknown.length === 0) return;
  const known = fields.map(({ name }) => name).join(', ') || 'none';
  throw refusal('unknown_field', unknown, `is not a question of this task (its questions: ${known})`);
}

function requireTypes(fields: readonly ExtraField[], given: Answers, code: string): void {
  for (const field of fields) {
    const why = Object.hasOwn(given, field.name) ? wrongValue(field, given[field.name]) : null;
    if (why !== null) throw refusal(code, [field.name], why);
  }
}

const unanswered = (fields: readonly ExtraField[], given: Answers): string[] =>
  fields.filter(({ name, required }) => required && isEmpty(given[name])).map(({ name }) => name);

const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '');

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

/** Returns an error that names the first of the fields in its sentence, and all of them by path. */
const refusal = (code: string, names: readonly string[], message: string): DomainError =>
  new DomainError(
    'invalid',
    code,
    `"${names[0]}" ${message}.`,
    names.map((name) => ({ path: `extra.${name}`, message })),
  );
