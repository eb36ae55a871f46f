import type { GivenLabel, WriteAnnotation } from '@assay/api-client/angular';
import { draftsOf } from '../session/unsent-work.js';
import type { Span } from './span.js';

/** The draft of the additions to an example: explanations and answers to questions. */
export interface WhyDraft {
  readonly example: string;
  readonly model: string;
  /** Answers to the task's own questions, by field name. */
  readonly extra: Readonly<Record<string, unknown>>;
  readonly fooled: boolean | null;
}

export const NO_WHY: WhyDraft = { example: '', model: '', extra: {}, fooled: null };

/** An example that is being written for a context. */
export interface Draft {
  /** The idempotency key: the same for all attempts to send, so the example is stored once. */
  readonly key: string;
  readonly context: string;
  readonly input: Readonly<Record<string, string>>;
  readonly label: GivenLabel | null;
  readonly span: Span | null;
  /** ID of the earlier example whose label this one should flip. */
  readonly contrastTo?: string;
  /** The number of this attempt at the context, from 1. */
  readonly attempt: number;
  /** The request that the service may have stored without an answer. It is sent again unchanged. */
  readonly kept?: { readonly round: number; readonly body: WriteAnnotation };
  /** ID of the stored annotation, once the example was sent. */
  readonly sent?: string;
  readonly why?: WhyDraft;
  /** Milliseconds since 1970. */
  readonly changedAt: number;
}

const MOST = 20;

/** The drafts of one user in a task, stored in this browser by context. At most `MOST`. */
export class Drafts {
  private readonly prefix: string;

  constructor(
    private readonly storage: Storage,
    username: string,
    task: string,
  ) {
    this.prefix = `${draftsOf(username)}${task}:`;
  }

  /**
   * Stores a draft and removes the oldest beyond the limit.
   * @returns false if the browser did not store it: storage may be full or disabled
   */
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

  /** All drafts, newest first. */
  private all(): readonly Draft[] {
    return Array.from({ length: this.storage.length }, (_, index) => this.storage.key(index) ?? '')
      .filter((key) => key.startsWith(this.prefix))
      .flatMap((key) => readDraft(this.storage.getItem(key)) ?? [])
      .sort((one, other) => other.changedAt - one.changedAt);
  }
}

/** True if the draft has no content that could be lost. */
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
