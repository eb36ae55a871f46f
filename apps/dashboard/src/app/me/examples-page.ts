import { Component, computed, inject, input, linkedSignal, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatFormField, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { Router, RouterLink } from '@angular/router';
import { ownexamplesAppeal, ownexamplesListResource } from '@assay/api-client/angular';
import { Action } from '../ui/states/action.js';
import { ActionProblem } from '../ui/states/action-problem.js';
import { Empty } from '../ui/states/empty.js';
import { Loaded } from '../ui/states/loaded.js';
import { PageHeader } from '../ui/layout/page-header.js';
import { When } from '../ui/text/when.js';
import { EXAMPLE_FATES, type ExampleFate, fateOf, fieldsOf, type OwnExample, verdictWords } from './own-example.js';
import { Pager } from './pager.js';

/** The examples that the user wrote, with the outcome of each. */
@Component({
  selector: 'app-examples-page',
  imports: [
    ActionProblem,
    Empty,
    Loaded,
    MatButton,
    MatFormField,
    MatInput,
    MatLabel,
    PageHeader,
    Pager,
    RouterLink,
    When,
  ],
  templateUrl: './examples-page.html',
  styleUrl: './examples-page.scss',
})
export class ExamplesPage {
  /** The outcome to filter by, from the query string. */
  readonly outcome = input<string>();

  private readonly router = inject(Router);
  protected readonly fate = computed(() => EXAMPLE_FATES.find((fate) => fate === this.outcome()));
  protected readonly cursors = linkedSignal<ExampleFate | undefined, readonly string[]>({
    source: this.fate,
    computation: () => [],
  });
  protected readonly examples = ownexamplesListResource(() => {
    const [cursor, outcome] = [this.cursors().at(-1), this.fate()];
    return {
      query: { limit: 30, ...(cursor !== undefined && { cursor }), ...(outcome !== undefined && { outcome }) },
    };
  });
  protected readonly fates = EXAMPLE_FATES;
  /** The id of the example for which the user is writing an appeal; empty if none. */
  protected readonly appealed = signal('');
  protected readonly action = new Action();
  protected readonly fateOf = fateOf;
  protected readonly fieldsOf = fieldsOf;
  protected readonly verdictWords = verdictWords;

  protected show(outcome: string): Promise<boolean> {
    return this.router.navigate([], { queryParams: outcome === '' ? {} : { outcome } });
  }

  protected begin(example: OwnExample): void {
    this.action.clear();
    this.appealed.set(example.id);
  }

  protected async appeal({ id }: OwnExample, reason: string): Promise<void> {
    if (reason.trim() === '') return;
    const options = { path: { id }, body: { reason: reason.trim() }, throwOnError: true } as const;
    const done = await this.action.run(() => ownexamplesAppeal(options));
    if (!done) return;
    this.appealed.set('');
    this.examples.reload();
  }
}
