import { Component, computed, inject, input } from '@angular/core';
import { Router, RouterLink } from '@angular/router';
import { annotatorsBoardResource } from '@assay/api-client/angular';
import { TaskContext } from '../task/task-context.js';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { cursorPages, Empty, Estimate, Loaded, Numbers, PageHeader, Pager } from '../ui/index.js';

/** Annotators of a task, ranked by how many of their examples fool models and are validated. */
@Component({
  selector: 'app-annotators-page',
  imports: [Empty, Estimate, FORM_FIELD, Loaded, PageHeader, Pager, RouterLink],
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
  protected readonly rounds = computed(() => this.context.loaded()?.rounds.filter(({ imported }) => !imported) ?? []);
  protected readonly pages = cursorPages(() => [this.context.slug(), this.round()].join(' '));
  protected readonly board = annotatorsBoardResource(() => {
    const [path, round] = [this.context.path(), Number(this.round())];
    const ofRound = Number.isInteger(round) && round > 0 ? { round } : {};
    return path && { ...path, query: { ...ofRound, ...this.pages.query() } };
  });

  protected show(round: string): void {
    void this.router.navigate([], { queryParams: { round: round || null }, queryParamsHandling: 'merge' });
  }
}
