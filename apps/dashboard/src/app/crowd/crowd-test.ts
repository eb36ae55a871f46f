import { Component, computed, inject, linkedSignal, signal, viewChildren } from '@angular/core';
import { MatButton } from '@angular/material/button';
import type { GivenLabel } from '@assay/api-client/angular';
import { ContextFields } from '../annotate/form/context-fields.js';
import { LabelField } from '../annotate/form/label-field.js';
import { CrowdJob } from './crowd-job.js';

/** The test that a worker passes before the first example. */
@Component({
  selector: 'app-crowd-test',
  imports: [ContextFields, LabelField, MatButton],
  template: `
    @if (job.hasMissed()) {
      <p class="panel" i18n>That was not enough. Try again.</p>
    }
    <p i18n>Answer {{ needed() }} of {{ questions().length }} right. Tries left: {{ attemptsLeft() }}.</p>
    <form class="stack" (submit)="$event.preventDefault(); send()">
      @for (question of questions(); track $index) {
        <div class="question">
          <app-context-fields [content]="question" [inputs]="job.task()!.inputs" [language]="job.task()!.language" />
          <app-label-field
            [fieldId]="'answer-' + $index"
            i18n-legend
            legend="Your answer to question {{ $index + 1 }}"
            [output]="job.task()!.output"
            [hasKeys]="false"
            [language]="job.task()!.language"
            [value]="answers()[$index] ?? null"
            (valueChange)="answer($index, $event)"
          />
        </div>
      }
      <p role="alert" class="problem">{{ missing() }}</p>
      <div>
        <button matButton="filled" type="submit" [disabled]="job.busy()" i18n>Send the test</button>
      </div>
    </form>
  `,
  styles: `
    .question {
      display: grid;
      gap: 12px;
      padding-bottom: 16px;
      border-bottom: 1px solid var(--line);
    }
  `,
  host: { class: 'stack' },
})
export class CrowdTest {
  protected readonly job = inject(CrowdJob);
  private readonly fields = viewChildren(LabelField);
  private readonly test = computed(() => this.job.session()?.onboarding);
  protected readonly questions = computed(() => this.test()?.questions ?? []);
  protected readonly attemptsLeft = computed(() => this.test()?.attemptsLeft ?? 0);
  protected readonly needed = computed(() => Math.ceil((this.test()?.pass ?? 1) * this.questions().length));
  /** The answers by question. Each attempt starts without any. */
  protected readonly answers = linkedSignal<(GivenLabel | null)[]>(() => {
    // a question with several labels may have none
    const none = this.job.task()?.output.type === 'labels' ? [] : null;
    return this.questions().map(() => none);
  });
  protected readonly missing = signal('');

  protected answer(index: number, answer: GivenLabel | null): void {
    this.missing.set('');
    this.answers.update((answers) => answers.map((each, at) => (at === index ? answer : each)));
  }

  protected send(): void {
    const answers = this.answers();
    const unanswered = answers.findIndex((answer) => answer === null || answer === '');
    if (unanswered < 0) {
      void this.job.answerTest(answers.filter((answer) => answer !== null));
      return;
    }
    this.missing.set($localize`Answer question ${unanswered + 1}:number: first.`);
    this.fields()[unanswered]?.focus();
  }
}
