import { KeyValuePipe } from '@angular/common';
import { Component, computed, inject, input } from '@angular/core';
import { Router } from '@angular/router';
import { modelanswersExamplesResource } from '../../client/@angular/common.gen.js';
import type { AnsweredExample, AnsweredExamples } from '../../client/types.gen.js';
import { cursorPages } from '../ui/cursor-pages.js';
import { Empty } from '../ui/empty.js';
import { ExampleInputs } from '../ui/example-inputs.js';
import { Loaded } from '../ui/loaded.js';
import { Numbers } from '../ui/numbers.js';
import { Pager } from '../ui/pager.js';
import type { Perturbation } from './model-events.js';

export type Outcome = 'wrong' | 'right' | 'all';

/** What a model answered to the examples of a dataset that can be read: its errors first, by slice, label and answer. */
@Component({
  selector: 'app-model-errors',
  imports: [Empty, ExampleInputs, KeyValuePipe, Loaded, Pager],
  templateUrl: './model-errors.html',
  styleUrl: './model-errors.scss',
})
export class ModelErrors {
  /** Its id. */
  readonly model = input.required<string>();
  readonly dataset = input.required<string>();
  readonly perturbation = input<Perturbation>();
  readonly outcome = input<Outcome>('wrong');
  /** `field:value`. */
  readonly slice = input<string>();
  /** Gold. */
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
  protected readonly read = modelanswersExamplesResource(() => {
    const cursor = this.pages.cursor();
    return {
      path: { id: this.model(), name: this.dataset() },
      query: { ...this.query(), ...(cursor !== undefined && { cursor }) },
    };
  });

  /** Choices of a filter with how many of them the model has wrong. */
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

  /** Of the answer that was given, and of the right one, by label: the likeliest first. */
  protected probabilitiesOf({ probabilities }: AnsweredExample): readonly (readonly [string, number])[] {
    return Object.entries(probabilities ?? {}).toSorted(([, one], [, other]) => other - one);
  }

  /** A filter goes into the address, so that what is seen can be sent. */
  protected async choose(filter: 'outcome' | 'slice' | 'label' | 'answer', event: Event): Promise<void> {
    const value = (event.target as HTMLSelectElement).value;
    await this.router.navigate([], {
      queryParams: { [filter]: value === '' ? null : value },
      queryParamsHandling: 'merge',
      preserveFragment: false,
    });
  }
}
