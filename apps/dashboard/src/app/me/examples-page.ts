import { Component, computed, inject, input, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Router, RouterLink } from '@angular/router';
import { ownexamplesAppeal, ownexamplesListResource } from '@assay/api-client/angular';
import { FORM_FIELD } from '../ui/fields/form-field.js';
import { Action, ActionProblem, cursorPages, Empty, Loaded, PageHeader, Pager, When } from '../ui/index.js';
import { EXAMPLE_FATES, FATES, fieldsOf, type OwnExample, verdictWords } from './own-example.js';

/** The examples that the user wrote, with the outcome of each. */
@Component({
  selector: 'app-examples-page',
  imports: [ActionProblem, Empty, FORM_FIELD, Loaded, MatButton, PageHeader, Pager, RouterLink, When],
  templateUrl: './examples-page.html',
  styleUrl: './examples-page.scss',
})
export class ExamplesPage {
  /** The outcome to filter by, from the query string. */
  readonly outcome = input<string>();

  private readonly router = inject(Router);
  protected readonly fate = computed(() => EXAMPLE_FATES.find((fate) => fate === this.outcome()));
  protected readonly pages = cursorPages(this.fate);
  protected readonly examples = ownexamplesListResource(() => {
    const outcome = this.fate();
    return { query: { limit: 30, ...this.pages.query(), ...(outcome !== undefined && { outcome }) } };
  });
  protected readonly outcomes = EXAMPLE_FATES;
  protected readonly fates = FATES;
  /** The id of the example for which the user is writing an appeal; empty if none. */
  protected readonly appealed = signal('');
  protected readonly action = new Action();
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
    await this.action.run(async () => {
      await ownexamplesAppeal({ path: { id }, body: { reason: reason.trim() } });
      this.appealed.set('');
      this.examples.reload();
    });
  }
}
