import { Component, computed, inject, linkedSignal } from '@angular/core';
import { validatorsListResource } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { cursorPages, Icon, Loaded, Numbers, PageHeader, Pager } from '../../ui/index.js';
import { Appeals } from './appeals.js';
import { OwnerForm } from './owner-form.js';
import { QuotaForm } from './quota-form.js';
import { SubmittersForm } from './submitters-form.js';

/**
 * The people of a task: owner, validators, appeals, submitters and quotas, with the data that can be
 * downloaded.
 */
@Component({
  selector: 'app-people-page',
  imports: [Appeals, FORM_FIELD, Icon, Loaded, OwnerForm, PageHeader, Pager, QuotaForm, SubmittersForm],
  templateUrl: './people-page.html',
  styleUrl: './people-page.scss',
})
export class PeoplePage {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly task = this.context.loaded;
  protected readonly rounds = computed(() =>
    this.context.ownRounds().map(({ number, state }) => ({ number, isClosed: state === 'closed' })),
  );
  protected readonly round = linkedSignal(() => this.rounds()[0]?.number);
  protected readonly pages = cursorPages(() => [this.context.slug(), this.round()].join(' '));
  protected readonly validators = validatorsListResource(() => {
    const path = this.context.roundPath(this.round());
    return path && { ...path, query: this.pages.query() };
  });

  protected address(rest: string): string {
    return `/api/v1/tasks/${this.context.slug()}/${rest}`;
  }

  protected percent(ratio: number | null): string {
    return ratio === null ? '–' : this.numbers.percent(ratio);
  }
}
