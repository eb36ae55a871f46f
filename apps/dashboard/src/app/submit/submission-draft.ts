import type { SubmitModel } from '../../client/types.gen.js';
import type { ModelKind } from './kind-choices.js';

/** What somebody says of a model before its file. */
export interface SubmissionDraft {
  readonly kind: ModelKind;
  readonly name: string;
  readonly description: string;
  readonly card: string;
  /** One dataset a line. */
  readonly trainedOn: string;
  /** As in a shell, of a container. */
  readonly command: string;
  readonly publish: boolean;
}

export const EMPTY_DRAFT: SubmissionDraft = {
  kind: 'container',
  name: '',
  description: '',
  card: '',
  trainedOn: '',
  command: '',
  publish: true,
};

const key = (task: string): string => `submission ${task}`;

/** What was said in this window of a model for `task`, and not sent yet. */
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

/** The draft as the API takes it. */
export function submissionOf(draft: SubmissionDraft): SubmitModel {
  const command = words(draft.command);
  return {
    name: draft.name.trim(),
    kind: draft.kind,
    description: draft.description.trim(),
    card: draft.card,
    trainedOn: [...linesOf(draft.trainedOn)],
    publish: draft.publish,
    ...(draft.kind === 'container' && command.length > 0 && { command: [...command] }),
  };
}

export const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** The words of a command, as a shell parts them: quotes hold together. */
export function words(command: string): readonly string[] {
  const found = command.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g);
  return [...found].map(([word]) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}
