import { Component, computed, input, linkedSignal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Annotation, annotationsInspect, type Inspection, type TaskOutput } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import { Icon } from '../ui/index.js';
import { answerInWords } from './answers-in-words.js';
import { WordWeights } from './word-weights.js';

interface Looking {
  readonly isAsking?: boolean;
  readonly problem?: string;
  readonly inspection?: Inspection;
}

/** A button that asks the model which words of an example mattered to it, and the result. */
@Component({
  selector: 'app-word-inspection',
  imports: [Icon, MatButton, WordWeights],
  template: `
    <div>
      <button matButton="outlined" type="button" (click)="inspect()" [disabled]="isAsking()">
        <app-icon name="visibility" /><ng-container i18n>Which words mattered</ng-container
        ><kbd aria-hidden="true">i</kbd>
      </button>
    </div>
    <div aria-live="polite">
      @if (isAsking()) {
        <p class="muted" i18n>Asking the model which words mattered.</p>
      }
      @if (problem(); as problem) {
        <p class="problem">{{ problem }}</p>
      }
      @if (inspection(); as inspection) {
        <div class="panel">
          <app-word-weights [inspection]="inspection" [example]="annotation().input" [answer]="answer()" />
        </div>
      }
    </div>
  `,
  host: { class: 'stack' },
})
export class WordInspection {
  readonly annotation = input.required<Annotation>();
  readonly output = input.required<TaskOutput>();

  protected readonly answer = computed(() => answerInWords(this.annotation().answers[0]?.answer ?? '', this.output()));
  private readonly looking = linkedSignal<string, Looking>({
    source: () => this.annotation().id,
    computation: () => ({}),
  });
  protected readonly inspection = computed(() => this.looking().inspection);
  protected readonly problem = computed(() => this.looking().problem);
  protected readonly isAsking = computed(() => this.looking().isAsking ?? false);

  async inspect(): Promise<void> {
    if (this.annotation().answers.length === 0 || this.isAsking()) return;
    const { id } = this.annotation();
    this.looking.set({ isAsking: true });
    try {
      const { data } = await annotationsInspect({ path: { id }, body: {} });
      this.looking.set({ inspection: data });
    } catch (error) {
      this.looking.set({ problem: problemOf(error).detail });
    }
  }
}
