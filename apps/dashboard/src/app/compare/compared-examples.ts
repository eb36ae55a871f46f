import { Component, computed, inject, input } from '@angular/core';
import { Router } from '@angular/router';
import { compareExamplesResource, type Comparison } from '@assay/api-client/angular';
import { cursorPages } from '../ui/layout/cursor-pages.js';
import { Empty } from '../ui/states/empty.js';
import { ExampleInputs } from '../ui/fields/example-inputs.js';
import { Loaded } from '../ui/states/loaded.js';
import { Numbers } from '../ui/text/numbers.js';
import { Pager } from '../ui/layout/pager.js';

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
  protected readonly read = compareExamplesResource(() => {
    const cursor = this.pages.cursor();
    return { path: { slug: this.slug() }, query: { ...this.query(), ...(cursor !== undefined && { cursor }) } };
  });

  protected async choose(filter: 'dataset' | 'only', event: Event): Promise<void> {
    const value = (event.target as HTMLSelectElement).value;
    await this.router.navigate([], { queryParams: { [filter]: value || null }, queryParamsHandling: 'merge' });
  }
}
