import { NgTemplateOutlet } from '@angular/common';
import { afterNextRender, Component, computed, effect, ElementRef, inject, Injector, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Title } from '@angular/platform-browser';
import { AnsweredExample } from '../annotate/answered-example.js';
import { labelInWords } from '../annotate/answers-in-words.js';
import { ExampleWork } from '../annotate/example-work.js';
import { ContextFields } from '../annotate/form/context-fields.js';
import { TermsGate } from '../annotate/form/terms-gate.js';
import { keyOf, SEND } from '../annotate/keys.js';
import { CrowdExample } from './crowd-example.js';
import { CrowdJob } from './crowd-job.js';
import { CrowdOfferView, money } from './crowd-offer.js';
import { type CrowdStep, isUnderWay } from './crowd-steps.js';
import { CrowdTest } from './crowd-test.js';
import { HandIn } from './hand-in.js';

const TITLES: Readonly<Record<Exclude<CrowdStep, 'offer' | 'writing' | 'answered'>, string>> = {
  opening: $localize`Write examples`,
  unavailable: $localize`This job cannot be opened`,
  terms: $localize`Before you begin`,
  test: $localize`A short test`,
  leaving: $localize`Leave now?`,
  written: $localize`All examples are written`,
  failed: $localize`The test was not passed`,
  ended: $localize`You have begun another job`,
  finished: $localize`Finished`,
};

/**
 * The page on which a crowd worker writes examples: one step after the other. Each step focuses its
 * heading, so that screen readers start there.
 */
@Component({
  selector: 'app-root',
  imports: [
    AnsweredExample,
    ContextFields,
    CrowdExample,
    CrowdOfferView,
    CrowdTest,
    HandIn,
    MatButton,
    NgTemplateOutlet,
    TermsGate,
  ],
  providers: [CrowdJob, { provide: ExampleWork, useExisting: CrowdJob }],
  templateUrl: './crowd-page.html',
  styleUrl: './crowd-page.scss',
  host: { '(document:keydown)': 'press($event)' },
})
export class CrowdPage {
  protected readonly job = inject(CrowdJob);
  protected readonly labelInWords = labelInWords;
  private readonly injector = inject(Injector);
  private readonly document = inject(Title);
  private readonly heading = viewChild.required<ElementRef<HTMLElement>>('heading');
  private readonly answered = viewChild(AnsweredExample);
  protected readonly examples = computed(() => this.job.session()?.examples ?? { done: 0, of: 0 });
  protected readonly isLast = computed(() => this.examples().done >= this.examples().of);
  protected readonly earned = computed(() => this.amount(this.job.session()?.earned ?? 0));
  protected readonly paid = computed(() => this.amount(this.job.session()?.finished?.paid ?? 0));
  protected readonly mayLeave = computed(() => {
    const session = this.job.session();
    return session !== null && isUnderWay(session) && !this.isLast() && this.job.step() !== 'leaving';
  });
  // the form for an example shows the problem itself
  protected readonly problem = computed(() => (this.job.step() === 'writing' ? '' : this.job.problemText()));
  protected readonly title = computed(() => {
    const step = this.job.step();
    if (step === 'offer') return this.job.offer()?.task.name ?? '';
    return step === 'writing' || step === 'answered'
      ? $localize`Example ${this.job.place()}:place: of ${this.examples().of}:examples:`
      : TITLES[step];
  });

  constructor() {
    effect(() => {
      if (this.job.shown() > 0) afterNextRender(() => this.focus(), { injector: this.injector });
    });
    effect(() => {
      const offer = this.job.offer();
      if (offer) this.document.setTitle(offer.task.name);
    });
    void this.job.open();
  }

  /** Sends the form that has the focus, or continues after the models have answered. */
  protected press(event: KeyboardEvent): void {
    const { target } = event;
    if (keyOf(event) !== SEND || !(target instanceof Element)) return;
    event.preventDefault();
    if (this.job.step() === 'answered') void this.job.next();
    else target.closest('form')?.requestSubmit();
  }

  private focus(): void {
    window.scrollTo(0, 0);
    const answered = this.answered();
    if (answered) answered.focus();
    else this.heading().nativeElement.focus();
  }

  private amount(value: number): string {
    return money(value, this.job.offer()?.pay.currency ?? '');
  }
}
