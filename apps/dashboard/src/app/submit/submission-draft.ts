import type { SubmitModel } from '@assay/api-client/angular';
import type { ModelKind } from './kind-choices.js';

/** The description of a model before its file is uploaded. */
export interface SubmissionDraft {
  readonly kind: ModelKind;
  readonly name: string;
  readonly description: string;
  readonly card: string;
  /** One dataset per line. */
  readonly trainedOn: string;
  /** The ID of one model per line. */
  readonly derivedFrom: string;
  /** The command of a container, as in a shell. */
  readonly command: string;
  readonly publish: boolean;
  /** True if evaluators of the task's owner may receive the file and run the model. */
  readonly allowForeignEvaluators: boolean;
}

export const EMPTY_DRAFT: SubmissionDraft = {
  kind: 'container',
  name: '',
  description: '',
  card: '',
  trainedOn: '',
  derivedFrom: '',
  command: '',
  publish: true,
  allowForeignEvaluators: false,
};

const key = (task: string): string => `submission ${task}`;

/** Reads the unsent draft for `task` from `sessionStorage`. */
export function readDraft(task: string): SubmissionDraft {
  try {
    const kept = JSON.parse(sessionStorage.getItem(key(task)) ?? '{}') as Partial<SubmissionDraft>;
    return { ...EMPTY_DRAFT, ...kept };
  } catch {
    return EMPTY_DRAFT;
  }
}

export function keepDraft(task: string, draft: SubmissionDraft): void {
  sessionStorage.setItem(key(task), JSON.stringify(draft));
}

/** Converts the draft to the request body of the API. */
export function submissionOf(draft: SubmissionDraft): SubmitModel {
  const command = words(draft.command);
  return {
    name: draft.name.trim(),
    kind: draft.kind,
    description: draft.description.trim(),
    card: draft.card,
    trainedOn: [...linesOf(draft.trainedOn)],
    ...(draft.derivedFrom.trim() !== '' && { derivedFrom: [...linesOf(draft.derivedFrom)] }),
    publish: draft.publish,
    ...(draft.kind !== 'predictions' && { allowForeignEvaluators: draft.allowForeignEvaluators }),
    ...(draft.kind === 'container' && command.length > 0 && { command: [...command] }),
  };
}

export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Splits a command into words like a shell: quotes hold words together. */
export function words(command: string): readonly string[] {
  const found = command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g);
  return [...found].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
