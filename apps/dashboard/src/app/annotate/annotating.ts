import { computed, inject, Injectable, signal } from '@angular/core';
import {
  type Annotation,
  annotationsChange,
  annotationsFlag,
  annotationsGet,
  annotationsNext,
  annotationsRetract,
  annotationsSkip,
  annotationsWrite,
  type AskNext,
  type NextContext,
} from '@assay/api-client/angular';
import { type Problem, problemOf } from '../session/problem.js';
import { Session } from '../session/session.js';
import { TaskContext } from '../task/task-context.js';
import { type Draft, Drafts, isUnwritten, NO_WHY, type WhyDraft } from './drafts.js';
import { ExampleWork } from './example-work.js';
import { changeOf, continued, exampleOf, mayBeRecorded, newDraft, whyOf } from './writing.js';

/**
 * The phase of writing an example:
 * - `loading`: a context is being requested
 * - `none`: there is no context, see `problem`
 * - `writing`
 * - `asking`: the models are being asked
 * - `waiting`: the example is saved and no model has answered yet, also while it is sent again
 * - `answered`
 */
export type Phase = 'loading' | 'none' | 'writing' | 'asking' | 'waiting' | 'answered';

/** The session of one annotator who writes examples of a task, one after the other. */
@Injectable()
export class Annotating extends ExampleWork {
  private readonly context = inject(TaskContext);
  private readonly session = inject(Session);
  private readonly state = signal<Phase>('loading');
  private drafts: Drafts | undefined;

  readonly phase = this.state.asReadonly();
  readonly asking = computed(() => this.state() === 'asking');
  readonly given = signal<NextContext | null>(null);
  readonly draft = signal<Draft | null>(null);
  readonly annotation = signal<Annotation | null>(null);
  readonly problem = signal<Problem | null>(null);
  readonly problemText = computed(() => this.problem()?.detail ?? '');
  /** True if the browser stored the draft. */
  readonly isDraftStored = signal(true);
  readonly why = computed<WhyDraft>(() => this.draft()?.why ?? NO_WHY);
  /** The key of the saved example that is being sent again. */
  private readonly retried = signal<string | null>(null);
  /** True while the current example is being sent again. */
  readonly retrying = computed(() => this.retried() !== null && this.retried() === this.draft()?.key);
  /** True while an action runs that must not be started twice. */
  readonly busy = signal(false);
  /**
   * Examples sent since the page was opened, and how many of the latest in a row fooled a model.
   */
  readonly sent = signal(0);
  readonly inRow = signal(0);

  /** Resumes the newest stored draft, or requests the next context. */
  async start(): Promise<void> {
    const username = (await this.session.whoIsThere())?.username ?? '';
    this.drafts = new Drafts(localStorage, username, this.context.slug());
    const left = this.drafts.newest();
    if (left?.sent !== undefined && (await this.restore(left, left.sent))) return;
    if (left?.kept && !left.sent) {
      this.draft.set(left);
      await this.send();
      return;
    }
    if (left && !left.sent && (await this.open({ context: left.context }, 'quietly'))) return;
    await this.next();
  }

  async next(): Promise<void> {
    await this.open({});
  }

  /** Starts another attempt at the same context, from the text of the last one. */
  async again(): Promise<void> {
    const before = this.draft();
    if (before) await this.open({ context: before.context }, before);
  }

  /** Opens the example just written, to be changed so that its label flips. */
  async contrast(): Promise<void> {
    const id = this.annotation()?.id;
    if (id !== undefined) await this.open({ contrast: id });
  }

  async skip(reason: string): Promise<void> {
    await this.leave((id) => annotationsSkip({ path: { id }, body: reason ? { reason } : {} }));
  }

  async flag(reason: string): Promise<void> {
    await this.leave((id) => annotationsFlag({ path: { id }, body: { reason } }));
  }

  change(part: Partial<Pick<Draft, 'input' | 'label' | 'span'>>): void {
    const draft = this.draft();
    if (!draft) return;
    this.keep({ ...draft, ...part, changedAt: Date.now() });
    this.problem.set(null);
  }

  explain(part: Partial<WhyDraft>): void {
    const draft = this.draft();
    if (draft) this.keep({ ...draft, why: { ...this.why(), ...part }, changedAt: Date.now() });
  }

  /**
   * Sends the example to the models. A saved example without an answer is sent again unchanged, and
   * the reason for the wait stays visible meanwhile.
   */
  async send(): Promise<void> {
    const [draft, given] = [this.draft(), this.given()];
    const kept = draft?.kept ?? (draft && given ? { round: given.round, body: exampleOf(draft, given) } : undefined);
    if (!draft || !kept || this.state() === 'asking' || this.retrying()) return;
    if (this.state() === 'writing') {
      this.state.set('asking');
      this.problem.set(null);
    } else {
      this.state.set('waiting');
      this.retried.set(draft.key);
    }
    try {
      const path = { slug: this.context.slug(), number: String(kept.round) };
      const { data } = await annotationsWrite({ path, body: kept.body });
      if (this.isLeft(draft)) this.drafts?.forget(draft.context);
      else this.show(data as Annotation, draft);
      this.sent.update((count) => count + 1);
      this.count((data as Annotation).fooled);
    } catch (error) {
      if (this.isLeft(draft)) return;
      const problem = problemOf(error);
      this.problem.set(problem);
      if (mayBeRecorded(problem)) this.keep({ ...draft, kept });
      else if (draft.kept) this.drafts?.forget(draft.context);
      this.state.set(mayBeRecorded(problem) ? 'waiting' : given ? 'writing' : 'none');
    } finally {
      if (this.retried() === draft.key) this.retried.set(null);
    }
  }

  /** True if the annotator moved on to another context while the example was being sent. */
  private isLeft(draft: Draft): boolean {
    return this.draft()?.key !== draft.key || this.state() === 'loading' || this.state() === 'none';
  }

  /**
   * Sends the annotator's additions to the example.
   * @returns true if nothing was left to send or the request succeeded
   */
  async save(): Promise<boolean> {
    const annotation = this.annotation();
    const change = annotation && changeOf(annotation, this.why());
    if (!change) return true;
    return this.attempt(async () => {
      const { data } = await annotationsChange({ path: { id: annotation.id }, body: change });
      if (change.fooled !== undefined) this.count(change.fooled);
      this.annotation.set(data);
    });
  }

  async retract(): Promise<void> {
    const id = this.annotation()?.id;
    if (id === undefined) return;
    await this.attempt(async () => {
      this.annotation.set((await annotationsRetract({ path: { id } })).data);
      this.inRow.set(0);
    });
  }

  private async leave(mark: (context: string) => Promise<unknown>): Promise<void> {
    const draft = this.draft();
    if (!draft) return;
    const isDone = await this.attempt(() => mark(draft.context));
    if (!isDone) return;
    this.drafts?.forget(draft.context);
    await this.next();
  }

  /**
   * Requests a context and starts a draft for it.
   * @param before the previous attempt at this context; `quietly`: a failure shows no problem
   * @returns true if a context was opened
   */
  private async open(body: AskNext, before?: Draft | 'quietly'): Promise<boolean> {
    const done = this.draft();
    this.problem.set(null);
    if (this.state() !== 'answered') this.state.set('loading');
    this.busy.set(true);
    try {
      const { data } = await annotationsNext({ path: { slug: this.context.slug() }, body });
      if (done?.sent !== undefined) this.drafts?.forget(done.context);
      this.begin(data, typeof before === 'object' ? before : undefined);
      return true;
    } catch (error) {
      if (before === 'quietly') return false;
      this.problem.set(problemOf(error));
      if (before === undefined && done?.sent !== undefined) this.drafts?.forget(done.context);
      if (this.state() !== 'answered' || before === undefined) this.state.set('none');
      return false;
    } finally {
      this.busy.set(false);
    }
  }

  private begin(given: NextContext, before: Draft | undefined): void {
    const left = before ? undefined : this.drafts?.of(given.context.id);
    this.given.set(given);
    this.annotation.set(null);
    this.draft.set(continued(left, given) ?? newDraft(given, crypto.randomUUID(), before));
    this.state.set('writing');
  }

  private async restore(left: Draft, id: string): Promise<boolean> {
    try {
      const { data } = await annotationsGet({ path: { id } });
      this.show(data, left);
      return true;
    } catch {
      this.drafts?.forget(left.context);
      return false;
    }
  }

  private show(annotation: Annotation, draft: Draft): void {
    this.annotation.set(annotation);
    this.keep({ ...draft, sent: annotation.id, why: draft.why ?? whyOf(annotation) });
    this.state.set('answered');
  }

  private count(fooled: boolean | null): void {
    if (fooled !== null) this.inRow.update((count) => (fooled ? count + 1 : 0));
  }

  private keep(draft: Draft): void {
    this.draft.set(draft);
    if (isUnwritten(draft)) this.drafts?.forget(draft.context);
    else this.isDraftStored.set(this.drafts?.keep(draft) ?? false);
  }

  private async attempt(action: () => Promise<unknown>): Promise<boolean> {
    if (this.busy()) return false;
    this.busy.set(true);
    this.problem.set(null);
    try {
      await action();
      return true;
    } catch (error) {
      this.problem.set(problemOf(error));
      return false;
    } finally {
      this.busy.set(false);
    }
  }
}
