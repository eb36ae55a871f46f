import { KeyValuePipe } from '@angular/common';
import { Component, computed, inject, input } from '@angular/core';
import { Router } from '@angular/router';
import { type AnsweredExample, type AnsweredExamples, modelanswersExamplesResource } from '@assay/api-client/angular';
import { ExampleInputs } from '../ui/fields/example-inputs.js';
import { cursorPages, Empty, Loaded, Numbers, Pager } from '../ui/index.js';
import type { Perturbation } from './model-events.js';

export type Outcome = 'wrong' | 'right' | 'all';

/**
 * A model's answers to the readable examples of a dataset, filtered by outcome (errors by default),
 * slice, label and answer.
 */
@Component({
  selector: 'app-model-errors',
  imports: [Empty, ExampleInputs, KeyValuePipe, Loaded, Pager],
  templateUrl: './model-errors.html',
  styleUrl: './model-errors.scss',
})
export class ModelErrors {
  /** The id of the model. */
  readonly model = input.required<string>();
  readonly dataset = input.required<string>();
  readonly perturbation = input<Perturbation>();
  readonly outcome = input<Outcome>('wrong');
  /** A slice as `field:value`. */
  readonly slice = input<string>();
  /** The gold label. */
  readonly label = input<string>();
  readonly answer = input<string>();

  private readonly router = inject(Router);
  protected readonly numbers = inject(Numbers);
  private readonly query = computed(() => ({
    outcome: this.outcome(),
    ...(this.perturbation() && { perturbation: this.perturbation()! }),
    ...(this.slice() && { slice: this.slice()! }),
    ...(this.label() && { label: this.label()! }),
    ...(this.answer() && { answer: this.answer()! }),
  }));
  protected readonly pages = cursorPages(() => `${this.model()} ${this.dataset()} ${JSON.stringify(this.query())}`);
  protected readonly read = modelanswersExamplesResource(() => ({
    path: { id: this.model(), name: this.dataset() },
    query: { ...this.query(), ...this.pages.query() },
  }));

  /** Returns the choices of the slice filter. Each shows how many examples the model got wrong. */
  protected slicesOf({ counts }: AnsweredExamples) {
    return Object.entries(counts.slices).map(([field, values]) => ({
      field,
      values: Object.entries(values).map(([value, { n, wrong }]) => ({
        value: `${field}:${value}`,
        text: wrong === null ? `${value} (${n})` : $localize`${value}:value:: ${wrong}:wrong: of ${n}:n: wrong`,
      })),
    }));
  }

  protected labelsOf({ counts }: AnsweredExamples): readonly string[] {
    return Object.keys(counts.labels ?? {});
  }

  /** Returns the predicted probabilities by label, the highest first. */
  protected probabilitiesOf({ probabilities }: AnsweredExample): readonly (readonly [string, number])[] {
    return Object.entries(probabilities ?? {}).toSorted(([, one], [, other]) => other - one);
  }

  /** Writes the filter to the query string, so that the view can be shared as a link. */
  protected async choose(filter: 'outcome' | 'slice' | 'label' | 'answer', value: string): Promise<void> {
    await this.router.navigate([], {
      queryParams: { [filter]: value || null },
      queryParamsHandling: 'merge',
      preserveFragment: false,
    });
  }
}
