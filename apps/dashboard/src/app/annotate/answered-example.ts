import { Component, computed, ElementRef, inject, input, linkedSignal, output, viewChild } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatFormField, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { type Annotation, annotationsInspect, type Inspection, type Task } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import { Icon } from '../ui/icon.js';
import { answerInWords, ruleInWords, verdictInWords } from './answers-in-words.js';
import type { WhyDraft } from './drafts.js';
import { OwnQuestions } from './form/own-questions.js';
import { YesOrNo } from './form/yes-or-no.js';
import { ModelAnswers } from './model-answers.js';
import { WordWeights } from './word-weights.js';
import { asksWhetherWrong } from './writing.js';

type Looking = { readonly state: 'no' | 'asking' } | { readonly problem: string } | { readonly inspection: Inspection };

/** An example that was sent: the answers of the models, and the fields that its author may add. */
@Component({
  selector: 'app-answered-example',
  imports: [Icon, MatButton, MatFormField, MatInput, MatLabel, ModelAnswers, OwnQuestions, WordWeights, YesOrNo],
  templateUrl: './answered-example.html',
  styleUrl: './answered-example.scss',
})
export class AnsweredExample {
  readonly annotation = input.required<Annotation>();
  readonly task = input.required<Task>();
  readonly why = input.required<WhyDraft>();
  /** The length of the current series of examples that fooled a model, this one included. */
  readonly inRow = input(0);
  readonly explain = output<Partial<WhyDraft>>();

  private readonly heading = viewChild.required<ElementRef<HTMLElement>>('heading');
  private readonly host = inject<ElementRef<HTMLElement>>(ElementRef);
  protected readonly verdict = computed(() => verdictInWords(this.annotation(), this.task()));
  protected readonly rule = computed(() => ruleInWords(this.annotation(), this.task()));
  protected readonly isFooled = computed(() => this.annotation().fooled === true);
  protected readonly isRetracted = computed(() => this.annotation().retractedAt !== null);
  protected readonly celebrates = computed(
    () => this.isFooled() && !this.isRetracted() && this.task().collection?.contentWarning === undefined,
  );
  protected readonly asksWrong = computed(
    () => asksWhetherWrong(this.task(), this.annotation()) && !this.isRetracted(),
  );
  protected readonly asked = computed(() => this.task().collection?.explanations ?? []);
  protected readonly fields = computed(() => this.task().collection?.fields ?? []);
  protected readonly isWrong = computed(() => this.why().fooled ?? this.annotation().fooled);
  protected readonly answer = computed(() =>
    answerInWords(this.annotation().answers[0]?.answer ?? '', this.task().output),
  );
  protected readonly looking = linkedSignal<string, Looking>({
    source: () => this.annotation().id,
    computation: () => ({ state: 'no' }),
  });
  protected readonly inspection = computed(() => {
    const looking = this.looking();
    return 'inspection' in looking ? looking.inspection : undefined;
  });
  protected readonly inspectionProblem = computed(() => {
    const looking = this.looking();
    return 'problem' in looking ? looking.problem : '';
  });
  protected readonly isAsking = computed(() => {
    const looking = this.looking();
    return 'state' in looking && looking.state === 'asking';
  });

  focus(): void {
    this.heading().nativeElement.focus();
  }

  /** Focuses the first field that the annotator may add. */
  focusWhy(): void {
    this.host.nativeElement.querySelector<HTMLElement>('form textarea, form input, form select')?.focus();
  }

  async inspect(): Promise<void> {
    if (this.annotation().answers.length === 0 || this.isAsking()) return;
    const { id } = this.annotation();
    this.looking.set({ state: 'asking' });
    try {
      const { data } = await annotationsInspect({ path: { id }, body: {}, throwOnError: true });
      this.looking.set({ inspection: data });
    } catch (error) {
      this.looking.set({ problem: problemOf(error).detail });
    }
  }
}
