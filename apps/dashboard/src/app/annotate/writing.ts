import type { Annotation, ChangeAnnotation, NextContext, WriteAnnotation } from '@assay/api-client/angular';
import type { Problem } from '../session/problem.js';
import { type AnnotatedTask, fooledRuleOf } from './answers-in-words.js';
import { type Draft, NO_WHY, type WhyDraft } from './drafts.js';

/**
 * Starts a draft for a context.
 * @param key the idempotency key of the example
 * @param before the previous attempt at this context, whose text is copied
 */
export function newDraft({ context, contrast, goal, rules }: NextContext, key: string, before?: Draft): Draft {
  const start = contrast?.input ?? before?.input ?? {};
  const prompt = rules.prompt === 'required' && !contrast && !before ? context.prompt : undefined;
  return {
    key,
    context: context.id,
    input: Object.fromEntries(
      rules.written.map((name, index) => [name, textOf(start[name]) || (index === 0 ? (prompt ?? '') : '')]),
    ),
    label: goal,
    span: null,
    ...(contrast && { contrastTo: contrast.id }),
    attempt: (before?.attempt ?? 0) + 1,
    changedAt: Date.now(),
  };
}

/**
 * Returns the stored draft of a context if it is unsent and for the same contrast example. Its
 * label becomes the required one, if the context sets one.
 */
export function continued(left: Draft | undefined, { contrast, goal }: NextContext): Draft | undefined {
  if (!left || left.sent !== undefined || left.contrastTo !== contrast?.id) return undefined;
  return goal === null ? left : { ...left, label: goal };
}

/** Returns the first field that is not complete, and what to do there. */
export function lackingOf(
  draft: Draft,
  { rules }: NextContext,
  outputName: string,
): { readonly field: string; readonly why: string } | undefined {
  for (const field of rules.written) {
    const count = charactersOf(draft.input[field] ?? '');
    if ((draft.input[field] ?? '').trim() === '') return { field, why: $localize`Write something for ${field}:name:.` };
    if (count > rules.length.longest) {
      return { field, why: $localize`Shorten ${field}:name: to ${rules.length.longest}:count: characters.` };
    }
  }
  if (rules.span !== undefined && draft.span === null) {
    return { field: rules.span, why: $localize`Mark the answer in ${rules.span}:name:.` };
  }
  if (rules.span === undefined && isNothing(draft.label)) {
    return { field: outputName, why: $localize`Say what is right: ${outputName}:name:.` };
  }
  return undefined;
}

/** Returns the request that sends a draft. */
export function exampleOf(draft: Draft, given: NextContext): WriteAnnotation {
  const { span } = given.rules;
  const text = spanTextOf(draft, given);
  const answer = draft.span && span !== undefined ? text.slice(draft.span.start, draft.span.end) : draft.label;
  return {
    key: draft.key,
    context: draft.context,
    input: draft.input,
    label: answer ?? '',
    ...(span !== undefined && draft.span && { span: draft.span }),
    ...(given.goal !== null && { goal: given.goal }),
    ...(given.contrast && { contrastTo: given.contrast.id }),
  };
}

/** The text in which the answer is marked: given with the context or, if it is not, written. */
export function spanTextOf({ input }: Draft, { context, rules }: NextContext): string {
  return rules.span === undefined ? '' : textOf(context.content[rules.span] ?? input[rules.span]);
}

/** Returns the request that adds `why` to an annotation. Undefined if it would change nothing. */
export function changeOf({ explanations, extra, fooled }: Annotation, why: WhyDraft): ChangeAnnotation | undefined {
  const explained = (['example', 'model'] as const).filter(
    (kind) => why[kind].trim() !== '' && why[kind] !== explanations[kind],
  );
  const answered = Object.entries(givenAnswers(why.extra)).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(extra[name]),
  );
  const change: ChangeAnnotation = {
    ...(explained.length > 0 && { explanations: Object.fromEntries(explained.map((kind) => [kind, why[kind]])) }),
    ...(answered.length > 0 && { extra: Object.fromEntries(answered) }),
    ...(why.fooled !== null && why.fooled !== fooled && { fooled: why.fooled }),
  };
  return Object.keys(change).length > 0 ? change : undefined;
}

/** Returns the answers to the task's own questions, without those that were left empty. */
export const givenAnswers = (extra: WhyDraft['extra']): Record<string, unknown> =>
  Object.fromEntries(Object.entries(extra).filter(([, value]) => !isNothing(value)));

/** The additions that an annotation already has, as a draft to edit. */
export const whyOf = ({ explanations, extra }: Annotation): WhyDraft => ({
  ...NO_WHY,
  example: explanations.example ?? '',
  model: explanations.model ?? '',
  extra,
});

/**
 * Returns whether the service may have stored an example although the request failed. The same
 * request is then sent again, unchanged.
 */
export const mayBeRecorded = ({ status }: Problem): boolean => status === 0 || status >= 500;

/** Returns whether the task asks its annotators if the model was wrong. */
export const asksWhetherWrong = (task: AnnotatedTask, { answers, choices }: Annotation): boolean =>
  answers.length > 0 && choices === null && task.collection?.distractors === undefined && fooledRuleOf(task) === 'ask';

/** Counts characters as the service does: Unicode code points. */
export const charactersOf = (text: string): number => Array.from(text).length;

/** The text of an input. Empty if the input is not a text. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Returns whether an answer was left empty. */
export const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'string' && value.trim() === '') ||
  (Array.isArray(value) && value.length === 0);
