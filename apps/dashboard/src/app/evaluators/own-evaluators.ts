import { Component, computed, input } from '@angular/core';
import { evaluatorNames, type NamedEvaluator, OWN_EVALUATOR } from '@assay/scoring/marks';

/** The mark of a model that evaluators of users ran, with their names as a tooltip and for screen readers. */
@Component({
  selector: 'app-own-evaluators',
  template: `
    @if (evaluators().length > 0) {
      <span [title]="title()"
        ><span aria-hidden="true">{{ mark }}</span
        ><span class="visually-hidden">{{ words() }},</span></span
      >
    }
  `,
  styles: `
    :host {
      white-space: nowrap;
    }
  `,
})
export class OwnEvaluators {
  readonly evaluators = input.required<readonly NamedEvaluator[]>();

  protected readonly mark = OWN_EVALUATOR.mark;
  protected readonly words = computed(() => $localize`run on ${evaluatorNames(this.evaluators())}:evaluators:`);
  protected readonly title = computed(() => `${this.words()}\n${OWN_EVALUATOR.sentence}`);
}
