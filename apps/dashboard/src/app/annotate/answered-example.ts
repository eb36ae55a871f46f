import { Component, computed, ElementRef, inject, input, output, viewChild } from '@angular/core';
import type { Annotation } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Icon } from '../ui/index.js';
import { type AnnotatedTask, ruleInWords, verdictInWords } from './answers-in-words.js';
import type { WhyDraft } from './drafts.js';
import { OwnQuestions } from './form/own-questions.js';
import { YesOrNo } from './form/yes-or-no.js';
import { ModelAnswers } from './model-answers.js';
import { asksWhetherWrong } from './writing.js';

/**
 * An example that was sent: the answers of the models, and the fields that its author may add.
 * Projects further actions.
 */
@Component({
  selector: 'app-answered-example',
  imports: [FORM_FIELD, Icon, ModelAnswers, OwnQuestions, YesOrNo],
  templateUrl: './answered-example.html',
  styleUrl: './answered-example.scss',
})
export class AnsweredExample {
  readonly annotation = input.required<Annotation>();
  readonly task = input.required<AnnotatedTask & { readonly language: string }>();
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

  focus(): void {
    this.heading().nativeElement.focus();
  }

  /** Focuses the first field that the annotator may add. */
  focusWhy(): void {
    this.host.nativeElement.querySelector<HTMLElement>('form textarea, form input, form select')?.focus();
  }
}
