import { Component, computed, inject, input } from '@angular/core';
import { Router } from '@angular/router';
import { compareExamplesResource, type Comparison } from '@assay/api-client/angular';
import { ExampleInputs } from '../ui/fields/example-inputs.js';
import { cursorPages, Empty, Loaded, Numbers, Pager } from '../ui/index.js';

export type Only = 'a' | 'b' | 'both_wrong';

/** The examples of a dataset on which two models differ, with the answers of both. */
@Component({
  selector: 'app-compared-examples',
  imports: [Empty, ExampleInputs, Loaded, Pager],
  templateUrl: './compared-examples.html',
  styleUrl: './comparison.scss',
  styles: `
    :host {
      gap: 12px;
      margin-bottom: 0;
    }
  `,
})
export class ComparedExamples {
  readonly slug = input.required<string>();
  readonly a = input.required<Comparison['a']>();
  readonly b = input.required<Comparison['b']>();
  /** Datasets whose examples the reader may see. */
  readonly datasets = input.required<readonly string[]>();
  readonly dataset = input<string>();
  /**
   * Which answers are right: only those of `a`, only those of `b`, or neither (`both_wrong`).
   * Undefined: exactly one of them.
   */
  readonly only = input<Only>();
  readonly asOf = input<string>();

  private readonly router = inject(Router);
  protected readonly numbers = inject(Numbers);
  protected readonly shownDataset = computed(
    () => this.datasets().find((name) => name === this.dataset()) ?? this.datasets()[0]!,
  );
  private readonly query = computed(() => ({
    a: this.a().id,
    b: this.b().id,
    dataset: this.shownDataset(),
    ...(this.only() && { only: this.only()! }),
    ...(this.asOf() && { asOf: this.asOf()! }),
  }));
  protected readonly pages = cursorPages(() => JSON.stringify(this.query()));
  protected readonly read = compareExamplesResource(() => ({
    path: { slug: this.slug() },
    query: { ...this.query(), ...this.pages.query() },
  }));

  protected async choose(filter: 'dataset' | 'only', value: string): Promise<void> {
    await this.router.navigate([], { queryParams: { [filter]: value || null }, queryParamsHandling: 'merge' });
  }
}
