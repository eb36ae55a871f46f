import type { GivenLabel, WriteAnnotation } from '../../client/types.gen.js';
import { draftsOf } from '../session/kept-work.js';
import type { Span } from './span.js';

/** What is asked for beside an example, as far as it is written. */
export interface WhyDraft {
  readonly example: string;
  readonly model: string;
  /** Answers to the task's own questions, by name. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly fooled: boolean | null;
}

export const NO_WHY: WhyDraft = { example: '', model: '', extra: {}, fooled: null };

/** An example that is being written for a context. */
export interface Draft {
  /** The same example keeps its key, so that it is sent once however often it is tried. */
  readonly key: string;
  readonly context: string;
  readonly input: Readonly<Record<string, string>>;
  readonly label: GivenLabel | null;
  readonly span: Span | null;
  /** Id of the earlier example whose label it is to flip. */
  readonly contrastTo?: string;
  /** From 1: how often this context was written for. */
  readonly attempt: number;
  /** What was sent, and is kept by the service though no model has answered: it is sent again as it was. */
  readonly kept?: { readonly round: number; readonly body: WriteAnnotation };
  /** Id of the annotation that it has become. */
  readonly sent?: string;
  readonly why?: WhyDraft;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

const MOST = 20;

/** Half-written examples of somebody in a task, in this browser, by context. */
export class Drafts {
  private readonly prefix: string;

  constructor(
    private readonly storage: Storage,
    username: string,
    task: string,
  ) {
    this.prefix = `${draftsOf(username)}${task}:`;
  }

  /** @returns whether the browser keeps it: it may have no room, or be told to keep nothing */
  keep(draft: Draft): boolean {
    try {
      this.storage.setItem(this.prefix + draft.context, JSON.stringify(draft));
      this.all()
        .slice(MOST)
        .forEach(({ context }) => this.forget(context));
      return true;
    } catch {
      return false;
    }
  }

  of(context: string): Draft | undefined {
    return readDraft(this.storage.getItem(this.prefix + context));
  }

  newest(): Draft | undefined {
    return this.all()[0];
  }

  forget(context: string): void {
    this.storage.removeItem(this.prefix + context);
  }

  /** The newest first. */
  private all(): readonly Draft[] {
    return Array.from({ length: this.storage.length }, (_, index) => this.storage.key(index) ?? '')
      .filter((key) => key.startsWith(this.prefix))
      .flatMap((key) => readDraft(this.storage.getItem(key)) ?? [])
      .sort((one, other) => other.changedAt - one.changedAt);
  }
}

/** Whether nothing would be lost with it. */
export const isUnwritten = ({ input, span, sent, kept }: Draft): boolean =>
  !sent && !kept && span === null && Object.values(input).every((text) => text.trim() === '');

function readDraft(stored: string | null): Draft | undefined {
  if (stored === null) return undefined;
  try {
    const draft = JSON.parse(stored) as Partial<Draft> | null;
    return typeof draft?.key === 'string' && typeof draft.context === 'string' && typeof draft.input === 'object'
      ? (draft as Draft)
      : undefined;
  } catch {
    return undefined;
  }
}
