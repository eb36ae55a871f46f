import { computed, inject, Injectable, signal } from '@angular/core';
import {
  type Annotation,
  annotationsChange,
  annotationsFlag,
  annotationsNext,
  annotationsRetract,
  annotationsSkip,
  annotationsWrite,
  type Consent,
  consentAsked,
  type CrowdOffer,
  type GivenLabel,
  type NextContext,
} from '@assay/api-client/angular';
import { type Draft, NO_WHY, type WhyDraft } from '../annotate/drafts.js';
import { ExampleWork } from '../annotate/example-work.js';
import { unansweredQuestion } from '../annotate/form/own-questions.js';
import { asksWhetherWrong, changeOf, exampleOf, givenAnswers, newDraft, whyOf } from '../annotate/writing.js';
import { Action } from '../ui/index.js';
import { type CrowdStep, isUnderWay, stepOf, taskOf } from './crowd-steps.js';
import { whileStarting } from './while-starting.js';
import { WorkerSession } from './worker-session.js';

/** The most seconds that may be reported for one example. */
const DAY = 86_400;

/** The job of a crowd worker, from the offer until the work is handed in. */
@Injectable()
export class CrowdJob extends ExampleWork {
  private readonly worker = inject(WorkerSession);
  private readonly action = new Action();
  private readonly current = signal<CrowdStep>('opening');
  private before: CrowdStep = 'opening';
  private begun = 0;

  readonly step = this.current.asReadonly();
  /** The number of steps shown so far. Changes also if a step is shown again. */
  readonly shown = signal(0);
  readonly session = this.worker.state;
  readonly offer = signal<CrowdOffer | null>(null);
  readonly consent = signal<Consent | null>(null);
  readonly given = signal<NextContext | null>(null);
  readonly draft = signal<Draft | null>(null);
  readonly annotation = signal<Annotation | null>(null);
  readonly why = computed<WhyDraft>(() => this.draft()?.why ?? NO_WHY);
  /** The place of the current example in the job, from 1. */
  readonly place = signal(1);
  /** True if an attempt at the test was not enough. */
  readonly hasMissed = signal(false);
  readonly asking = signal(false);
  readonly busy = this.action.busy;
  readonly problemText = computed(() => this.action.problem()?.detail ?? '');
  /** The reason for a wait. Empty if the page does not wait. */
  readonly wait = signal('');
  readonly task = computed(() => {
    const offer = this.offer();
    return offer && taskOf(offer, this.given()?.rules);
  });

  async open(): Promise<void> {
    this.offer.set((await this.action.run(() => this.worker.offer())) ?? null);
    this.show(this.offer() ? 'offer' : 'unavailable');
  }

  /** Starts the session, and shows the step that it is at. */
  async begin(): Promise<void> {
    await this.run(async () => {
      await this.worker.start();
      await this.proceed();
    });
  }

  /** Continues with the step that the session is at. */
  async resume(): Promise<void> {
    await this.run(() => this.proceed());
  }

  async answerTest(answers: GivenLabel[]): Promise<void> {
    await this.run(async () => {
      const left = this.session()?.onboarding?.attemptsLeft ?? 0;
      await this.worker.answerTest(answers);
      this.hasMissed.set((this.session()?.onboarding?.attemptsLeft ?? left) < left);
      await this.proceed();
    });
  }

  change(part: Partial<Pick<Draft, 'input' | 'label' | 'span'>>): void {
    this.draft.update((draft) => draft && { ...draft, ...part });
    this.action.clear();
  }

  explain(part: Partial<WhyDraft>): void {
    this.draft.update((draft) => draft && { ...draft, why: { ...this.why(), ...part } });
    this.action.clear();
  }

  async send(): Promise<void> {
    const [draft, given] = [this.draft(), this.given()];
    if (!draft || !given || this.busy()) return;
    this.asking.set(true);
    await this.run(() => this.write(draft, given));
    this.asking.set(false);
  }

  /** Sends what the worker added to the example, and continues. */
  async next(): Promise<void> {
    await this.run(async () => {
      await this.save();
      await this.proceed();
    });
  }

  async retract(): Promise<void> {
    await this.run(async () => {
      await annotationsRetract({ path: { id: this.annotation()!.id } });
      await this.worker.refresh();
      await this.proceed();
    });
  }

  async skip(): Promise<void> {
    await this.run(async () => {
      await annotationsSkip({ path: { id: this.given()!.context.id }, body: {} });
      await this.proceed();
    });
  }

  async flag(reason: string): Promise<void> {
    await this.run(async () => {
      await annotationsFlag({ path: { id: this.given()!.context.id }, body: { reason } });
      await this.proceed();
    });
  }

  /** Asks for confirmation before the worker leaves. */
  askToLeave(): void {
    this.before = this.step();
    this.action.clear();
    this.show('leaving');
  }

  /** Returns to the step before `askToLeave`. What was written there is still there. */
  stay(): void {
    this.action.clear();
    this.show(this.before);
  }

  /** @param early true if not all examples are written */
  async finish(early: boolean): Promise<void> {
    await this.run(async () => {
      await this.worker.finish(early);
      this.show('finished');
    });
  }

  private async proceed(): Promise<void> {
    const session = this.session()!;
    // nothing but the session may be read once it is over
    const consent = isUnderWay(session) ? (await consentAsked({ path: { slug: session.task } })).data : null;
    this.consent.set(consent);
    const step = stepOf(session, consent?.isEnough ?? true);
    if (step === 'writing') await this.openContext(session.task, session.examples.done + 1);
    else this.show(step);
  }

  private async openContext(slug: string, place: number): Promise<void> {
    this.wait.set($localize`One moment.`);
    const { data } = await this.patiently(() => annotationsNext({ path: { slug }, body: {} }));
    this.given.set(data);
    this.draft.set(newDraft(data, crypto.getRandomValues(new Uint32Array(4)).join('-')));
    this.annotation.set(null);
    this.place.set(place);
    this.begun = performance.now();
    this.show('writing');
  }

  private async write(draft: Draft, given: NextContext): Promise<void> {
    const { fields } = given.rules;
    const missing = unansweredQuestion(fields, this.why().extra);
    if (missing) throw new Error($localize`Please answer first: ${missing.label}:question:`);
    const body = {
      ...exampleOf(draft, given),
      ...(fields.length > 0 && { extra: givenAnswers(this.why().extra) }),
      seconds: Math.min(DAY, (performance.now() - this.begun) / 1000),
    };
    const path = { slug: this.session()!.task, number: String(given.round) };
    this.wait.set($localize`Asking the models…`);
    const { data } = await this.patiently(() => annotationsWrite({ path, body }));
    const annotation = data as Annotation;
    await this.worker.refresh();
    this.annotation.set(annotation);
    this.draft.set({ ...draft, sent: annotation.id, why: whyOf(annotation) });
    this.show('answered');
  }

  private async save(): Promise<void> {
    const [annotation, task] = [this.annotation()!, this.task()!];
    if (asksWhetherWrong(task, annotation) && (this.why().fooled ?? annotation.fooled) === null) {
      throw new Error($localize`Say first whether the answer of the model is wrong.`);
    }
    const change = changeOf(annotation, this.why());
    if (!change) return;
    const { data } = await annotationsChange({ path: { id: annotation.id }, body: change });
    this.annotation.set(data);
  }

  private patiently<T>(request: () => Promise<T>): Promise<T> {
    return whileStarting(request, (reason) => this.wait.set(reason));
  }

  private async run(work: () => Promise<void>): Promise<void> {
    await this.action.run(work);
    this.wait.set('');
  }

  private show(step: CrowdStep): void {
    this.current.set(step);
    this.shown.update((count) => count + 1);
  }
}
