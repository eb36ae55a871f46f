import { Component, computed, inject, input } from '@angular/core';
import { MatFormField, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { Router, RouterLink } from '@angular/router';
import { annotatorsBoardResource } from '@assay/api-client/angular';
import { TaskContext } from '../task/task-context.js';
import { Empty } from '../ui/states/empty.js';
import { Estimate } from '../ui/charts/estimate.js';
import { Loaded } from '../ui/states/loaded.js';
import { Numbers } from '../ui/text/numbers.js';
import { PageHeader } from '../ui/layout/page-header.js';

/** Annotators of a task, ranked by how many of their examples fool models and are validated. */
@Component({
  selector: 'app-annotators-page',
  imports: [Empty, Estimate, Loaded, MatFormField, MatInput, MatLabel, PageHeader, RouterLink],
  templateUrl: './annotators-page.html',
  styleUrl: './annotators-page.scss',
})
export class AnnotatorsPage {
  /** The number of a round, a query parameter. All rounds without it. */
  readonly round = input<string>();

  private readonly router = inject(Router);
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly heading = $localize`Annotators`;
  protected readonly lead = $localize`Whose examples fool models and are found correct by others.`;
  protected readonly rounds = computed(() =>
    this.context.task.hasValue() ? this.context.task.value().rounds.filter(({ imported }) => !imported) : [],
  );
  protected readonly board = annotatorsBoardResource(() => {
    const [slug, round] = [this.context.slug(), Number(this.round())];
    if (!slug) return undefined;
    return { path: { slug }, query: Number.isInteger(round) && round > 0 ? { round } : {} };
  });

  protected show(round: string): void {
    void this.router.navigate([], { queryParams: { round: round || null }, queryParamsHandling: 'merge' });
  }
}
