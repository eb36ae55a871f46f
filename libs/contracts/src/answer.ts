import { z } from 'zod';
import type { FailureCode } from './models/failure.js';
import type { TaskDefinition, TaskOutput } from './tasks/task.js';

/** A model's answer to one example, in the normalised form that is stored and scored. */
export interface Answer {
  /**
   * The label, the words of the span or text, or the number as text. Several labels: a JSON list.
   */
  readonly text: string;
  /** One per label of the task, in the task's order. Absent if the model gave none. */
  readonly probabilities?: readonly number[];
  /**
   * Where a span starts and ends (exclusive) in its text, in Unicode code points. Absent if the model
   * did not say so.
   */
  readonly span?: readonly [start: number, end: number];
}

export type AnswerOutcome =
  | { readonly ok: true; readonly answer: Answer }
  | { readonly ok: false; readonly code: FailureCode; readonly why: string };

const Label = z.object({ label: z.string() });
const Scored = z.object({ label: z.string(), score: z.number() });
const LabelAnswer = z.union([
  z.string(),
  // many serialisers write an absent value as a null key
  z.object({ label: z.string(), probabilities: z.record(z.string(), z.number()).nullish() }),
  z.array(Scored).min(1),
]);
const LabelsAnswer = z.union([
  z.array(z.string()),
  z.object({ labels: z.array(z.string()) }).transform(({ labels }) => labels),
]);
const SpanAnswer = z.union([
  z.string().transform((answer) => ({ answer, start: undefined, end: undefined })),
  z.object({ answer: z.string(), start: z.unknown().optional(), end: z.unknown().optional() }),
]);
const TextAnswer = z.union([
  z.string(),
  z.object({ text: z.string() }).transform(({ text }) => text),
  z.object({ generated_text: z.string() }).transform(({ generated_text: text }) => text),
]);
const NumberAnswer = z.union([z.number(), z.object({ value: z.number() }).transform(({ value }) => value)]);

const SUM_TOLERANCE = 1e-3;
/**
 * The largest difference between two probabilities that counts as a tie: 1e-6, and the rounding of
 * both to 32-bit floats, the format in which they are stored.
 */
const TIE = 1e-6 + 2 ** -24;

/** The demands of a task on answers besides their form. */
export type AnswerRules = Pick<TaskDefinition, 'strictProbabilities'>;

/** Returns whether another label is more probable than the given one, by more than 1e-6. */
export function labelDiffers(labels: readonly string[], label: string, probabilities: readonly number[]): boolean {
  const own = probabilities[labels.indexOf(label)] ?? 0;
  return probabilities.some((each) => each - own > TIE);
}

/**
 * The largest magnitude of a number that is scored. With it, sums of squared differences over any
 * dataset are finite 64-bit floats, and scores are finite 32-bit floats, the format in which
 * resampled scores are stored.
 */
export const LARGEST_NUMBER = 1e30;

/** The largest offset of a span: that of a 32-bit integer, the format in which it is stored. */
const LARGEST_OFFSET = 2 ** 31 - 1;

/** Parses a prediction in any of the forms that the contract names. An answer is never guessed. */
export function parseAnswer(output: TaskOutput, prediction: unknown, rules: AnswerRules = {}): AnswerOutcome {
  switch (output.type) {
    case 'label': {
      const outcome = parseLabel(output.labels, prediction);
      return rules.strictProbabilities === true ? expectTop(output.labels, outcome) : outcome;
    }
    case 'labels':
      return parsed(LabelsAnswer, prediction, 'a list of labels', (labels) => labelsAnswer(output.labels, labels));
    case 'span':
      return parsed(SpanAnswer, prediction, 'a string or {"answer"}', spanAnswer);
    case 'text':
      return parsed(TextAnswer, prediction, 'a string, {"text"} or {"generated_text"}', textAnswer);
    case 'number':
      return parsed(NumberAnswer, prediction, 'a finite number or {"value"}', numberAnswer);
  }
}

/**
 * Returns the simplest prediction that `parseAnswer` reads back as exactly this answer.
 * @param answer a result of `parseAnswer` for the same output
 */
export function predictionOf(output: TaskOutput, { text, probabilities, span }: Answer): unknown {
  switch (output.type) {
    case 'label': {
      if (!probabilities) return text;
      const named = output.labels.map((label, place) => [label, probabilities[place]!] as const);
      return { label: text, probabilities: Object.fromEntries(named) };
    }
    case 'labels':
      return JSON.parse(text) as unknown;
    case 'number':
      return Number(text);
    case 'span':
      return span ? { answer: text, start: span[0], end: span[1] } : text;
    case 'text':
      return text;
  }
}

/** @param expected the forms of `schema` in words */
function parsed<T>(
  schema: z.ZodType<T>,
  prediction: unknown,
  expected: string,
  answer: (value: T) => AnswerOutcome,
): AnswerOutcome {
  const { success, data } = schema.safeParse(prediction);
  return success ? answer(data) : malformed(prediction, expected);
}

function labelsAnswer(known: readonly string[], labels: readonly string[]): AnswerOutcome {
  const unknown = labels.find((label) => !known.includes(label));
  if (unknown !== undefined) return unknownLabel(unknown, known);
  return { ok: true, answer: { text: JSON.stringify([...new Set(labels)].sort()) } };
}

function numberAnswer(value: number): AnswerOutcome {
  if (Math.abs(value) <= LARGEST_NUMBER) return { ok: true, answer: { text: String(value) } };
  return rejected('invalid_prediction', `is ${value}, which is too large to score: the limit is ±${LARGEST_NUMBER}`);
}

/**
 * Returns a text answer. Rejects NUL, which PostgreSQL cannot store, and lone surrogates, which
 * UTF-8 cannot encode. They would have to be replaced, and an answer is never changed.
 */
function textAnswer(text: string): AnswerOutcome {
  if (text.isWellFormed() && !text.includes('\0')) return { ok: true, answer: { text } };
  const what = text.includes('\0') ? 'a NUL character' : 'half of a surrogate pair';
  return rejected('invalid_prediction', `is a string that contains ${what}`);
}

/**
 * Returns a span. Offsets are kept if they are whole numbers in order; without an end, it follows from
 * the length of the answer.
 */
function spanAnswer({ answer, start, end }: z.infer<typeof SpanAnswer>): AnswerOutcome {
  const outcome = textAnswer(answer);
  if (!outcome.ok || !isOffset(start)) return outcome;
  const last = end ?? start + Array.from(answer).length;
  return isOffset(last) && last >= start ? { ok: true, answer: { ...outcome.answer, span: [start, last] } } : outcome;
}

const isOffset = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= LARGEST_OFFSET;

function parseLabel(labels: readonly string[], prediction: unknown): AnswerOutcome {
  // fast path for the common form: no schema
  if (typeof prediction === 'string') {
    return labels.includes(prediction) ? { ok: true, answer: { text: prediction } } : unknownLabel(prediction, labels);
  }
  if (hasInfinite(prediction)) return rejected('invalid_probabilities', 'has a number that is not finite');

  const parsed = LabelAnswer.safeParse(prediction);
  if (!parsed.success && Label.safeParse(prediction).success) {
    return rejected('invalid_probabilities', 'has probabilities that are not a number for each label');
  }
  if (!parsed.success) {
    return malformed(
      prediction,
      'a label, {"label"}, {"label", "probabilities"}, {"label", "score"} or a list of those',
    );
  }
  const value = parsed.data;
  if (typeof value === 'string') return parseLabel(labels, value);
  if (Array.isArray(value)) return parseScoredList(labels, value);
  if (!labels.includes(value.label)) return unknownLabel(value.label, labels);
  if (!value.probabilities) return { ok: true, answer: { text: value.label } };
  const given = new Map<string, unknown>(Object.entries(value.probabilities));
  // the schema drops this key, but a given key must not be ignored
  const { probabilities } = prediction as { readonly probabilities: Readonly<Record<string, unknown>> };
  if (Object.hasOwn(probabilities, '__proto__')) given.set('__proto__', probabilities['__proto__']);
  return withProbabilities(labels, value.label, given);
}

function expectTop(labels: readonly string[], outcome: AnswerOutcome): AnswerOutcome {
  if (!outcome.ok) return outcome;
  const { text, probabilities } = outcome.answer;
  if (!probabilities || !labelDiffers(labels, text, probabilities)) return outcome;
  const top = labels[probabilities.indexOf(Math.max(...probabilities))]!;
  return rejected('label_not_top', `is ${quoted(text)}, but its probabilities make ${quoted(top)} more probable`);
}

function parseScoredList(labels: readonly string[], list: readonly z.infer<typeof Scored>[]): AnswerOutcome {
  const stranger = list.find((entry) => !labels.includes(entry.label));
  if (stranger) return unknownLabel(stranger.label, labels);

  const best = list.reduce((top, entry) => (entry.score > top.score ? entry : top));
  // a pipeline that returns only its top k gives no distribution
  if (list.length < labels.length) return { ok: true, answer: { text: best.label } };
  return withProbabilities(labels, best.label, new Map(list.map((entry) => [entry.label, entry.score])));
}

function withProbabilities(
  labels: readonly string[],
  label: string,
  given: ReadonlyMap<string, unknown>,
): AnswerOutcome {
  const stranger = [...given.keys()].find((name) => !labels.includes(name));
  if (stranger !== undefined) {
    return rejected('invalid_probabilities', `gives a probability to ${quoted(stranger)}, which is not a label`);
  }
  const probabilities = labels.map((name) => probabilityOf(given.get(name)));
  const outside = probabilities.find((value) => !(value >= 0 && value <= 1 + SUM_TOLERANCE));
  if (outside !== undefined) {
    return rejected('invalid_probabilities', `has the probability ${outside}, which is not between 0 and 1`);
  }

  const sum = probabilities.reduce((total, value) => total + value, 0);
  if (Math.abs(sum - 1) > SUM_TOLERANCE) {
    return rejected('invalid_probabilities', `has probabilities that sum to ${sum.toPrecision(6)}, not 1`);
  }
  return { ok: true, answer: { text: label, probabilities } };
}

/** Returns a given probability; 0 without one, NaN if it is no number. JSON writes -0 as 0, so that it is 0 here. */
function probabilityOf(given: unknown = 0): number {
  return typeof given === 'number' ? given + 0 : NaN;
}

/**
 * Returns whether a prediction contains a number that is not finite. JSON has no NaN, but 1e999
 * parses to Infinity.
 */
const hasInfinite = (value: unknown, depth = 0): boolean =>
  typeof value === 'number'
    ? !Number.isFinite(value)
    : depth < 4 &&
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).some((inner) => hasInfinite(inner, depth + 1));

const rejected = (code: FailureCode, why: string): AnswerOutcome => ({ ok: false, code, why });

const unknownLabel = (label: string, labels: readonly string[]): AnswerOutcome =>
  rejected(
    'unknown_label',
    `is ${quoted(label)}, which is not one of the labels ${labels.slice(0, 10).map(quoted).join(', ')}`,
  );

const malformed = (prediction: unknown, expected: string): AnswerOutcome =>
  rejected('invalid_prediction', `is ${quoted(JSON.stringify(beginningOf(prediction)) ?? 'nothing')}, not ${expected}`);

const SHOWN_DEPTH = 5;
const SHOWN_ENTRIES = 20;

/**
 * Returns the beginning of a prediction for display. A prediction may be nested so deeply that
 * serialising all of it would overflow the stack.
 */
function beginningOf(value: unknown, depth = 0): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (depth === SHOWN_DEPTH) return '…';
  if (Array.isArray(value)) return value.slice(0, SHOWN_ENTRIES).map((each) => beginningOf(each, depth + 1));
  const entries = Object.entries(value).slice(0, SHOWN_ENTRIES);
  return Object.fromEntries(entries.map(([key, each]) => [key, beginningOf(each, depth + 1)]));
}

function quoted(text: string): string {
  return `"${text.length > 80 ? `${text.slice(0, 80)}…` : text}"`;
}
