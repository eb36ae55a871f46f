import { Component, computed, inject, input } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import {
  compareCompareResource,
  type Comparison,
  type ComparisonMatrix,
  historyBenchmarkVersionsResource,
} from '@assay/api-client/angular';
import { TaskContext } from '../task/task-context.js';
import { Empty, Icon, Loaded, Numbers, PageHeader } from '../ui/index.js';
import { ModelPicker } from './model-picker.js';
import { PairComparison } from './pair-comparison.js';
import { PairMatrix } from './pair-matrix.js';

/**
 * Compares two or more models: which is better, where, and whether the difference is significant.
 */
@Component({
  selector: 'app-compare-page',
  imports: [Empty, Icon, Loaded, MatButton, ModelPicker, PageHeader, PairComparison, PairMatrix, RouterLink],
  templateUrl: './compare-page.html',
  styleUrl: './compare-page.scss',
})
export class ComparePage {
  /** All inputs are query parameters. `models` has IDs or names, separated by commas. */
  readonly models = input<string>();
  /** The pair to show in detail, if there are more than two models. */
  readonly a = input<string>();
  readonly b = input<string>();
  /** A benchmark version, such as `v3`. */
  readonly asOf = input<string>();
  readonly metric = input<string>();
  readonly dataset = input<string>();
  readonly only = input<'a' | 'b' | 'both_wrong'>();

  private readonly router = inject(Router);
  protected readonly numbers = inject(Numbers);
  protected readonly context = inject(TaskContext);
  protected readonly names = computed(() => (this.models() ?? '').split(',').filter((name) => name !== ''));
  protected readonly isMany = computed(() => this.names().length > 2);
  private readonly asOfQuery = computed(() => (this.asOf() ? { asOf: this.asOf()! } : {}));

  protected readonly matrix = compareCompareResource(() => {
    const path = this.context.path();
    if (!this.isMany()) return undefined;
    return path && { ...path, query: { models: this.names().join(','), ...this.asOfQuery() } };
  });
  protected readonly pair = compareCompareResource(() => {
    const path = this.context.path();
    if (this.names().length < 2) return undefined;
    const [a, b] = this.pairNames();
    return path && { ...path, query: { a, b, ...this.asOfQuery() } };
  });
  protected readonly versions = historyBenchmarkVersionsResource(this.context.path);

  protected readonly matrixView = computed(() =>
    this.matrix.hasValue() ? (this.matrix.value() as ComparisonMatrix) : undefined,
  );
  protected readonly pairView = computed(() => (this.pair.hasValue() ? (this.pair.value() as Comparison) : undefined));
  /** The result for the pair after correcting for all pairs of the matrix. */
  protected readonly among = computed(() => {
    const [matrix, pair] = [this.matrixView(), this.pairView()];
    if (!matrix || !pair) return undefined;
    const ids = [pair.a.id, pair.b.id];
    const found = matrix.pairs.find(({ a, b }) => ids.includes(a) && ids.includes(b));
    return found && { pairs: matrix.pairs.length, isSignificant: found.better !== null };
  });
  /** The compared models with their names: from the pair if there are two, else from the matrix. */
  protected readonly compared = computed(() => {
    if (this.isMany()) return this.matrixView()?.models ?? [];
    const pair = this.pairView();
    return pair ? [pair.a, pair.b] : [];
  });

  /** The pair from the query parameters, otherwise the first two models. */
  private pairNames(): readonly [string, string] {
    const [first, second] = this.names() as [string, string];
    const [a, b] = [this.a(), this.b()];
    return a && b && this.isMany() ? [a, b] : [first, second];
  }

  protected removal(name: string): string {
    return $localize`Take ${name}:model: out of the comparison`;
  }

  protected async add(id: string): Promise<void> {
    await this.show([...this.names(), id]);
  }

  protected async remove(id: string, name: string): Promise<void> {
    await this.show(this.names().filter((each) => each !== id && each !== name));
  }

  protected async swap(): Promise<void> {
    await this.show(this.names().toReversed());
  }

  protected async chooseVersion(version: string): Promise<void> {
    await this.router.navigate([], { queryParams: { asOf: version || null }, queryParamsHandling: 'merge' });
  }

  private async show(names: readonly string[]): Promise<void> {
    const models = names.length > 0 ? names.join(',') : null;
    await this.router.navigate([], { queryParams: { models, a: null, b: null }, queryParamsHandling: 'merge' });
  }
}
