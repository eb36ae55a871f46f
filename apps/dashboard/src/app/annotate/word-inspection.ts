import { Component, computed, input, linkedSignal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Annotation, annotationsInspect, type Inspection, type TaskOutput } from '@assay/api-client/angular';
import { problemOf } from '../session/problem.js';
import { Icon } from '../ui/layout/icon.js';
import { answerInWords } from './answers-in-words.js';
import { WordWeights } from './word-weights.js';

type Looking = { readonly state: 'no' | 'asking' } | { readonly problem: string } | { readonly inspection: Inspection };

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
  styles: `
    .problem {
      color: var(--bad);
    }
  `,
  host: { class: 'stack' },
})
export class WordInspection {
  readonly annotation = input.required<Annotation>();
  readonly output = input.required<TaskOutput>();

  protected readonly answer = computed(() => answerInWords(this.annotation().answers[0]?.answer ?? '', this.output()));
  private readonly looking = linkedSignal<string, Looking>({
    source: () => this.annotation().id,
    computation: () => ({ state: 'no' }),
  });
  protected readonly inspection = computed(() => {
    const looking = this.looking();
    return 'inspection' in looking ? looking.inspection : undefined;
  });
  protected readonly problem = computed(() => {
    const looking = this.looking();
    return 'problem' in looking ? looking.problem : '';
  });
  protected readonly isAsking = computed(() => {
    const looking = this.looking();
    return 'state' in looking && looking.state === 'asking';
  });

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
