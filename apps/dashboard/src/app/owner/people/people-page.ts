import { Component, computed, inject, linkedSignal } from '@angular/core';
import { MatFormField, MatLabel } from '@angular/material/form-field';
import { MatInput } from '@angular/material/input';
import { validatorsListResource } from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { Icon } from '../../ui/layout/icon.js';
import { Loaded } from '../../ui/states/loaded.js';
import { Numbers } from '../../ui/text/numbers.js';
import { PageHeader } from '../../ui/layout/page-header.js';
import { Appeals } from './appeals.js';
import { OwnerForm } from './owner-form.js';
import { QuotaForm } from './quota-form.js';

/**
 * The people of a task: owner, validators, appeals and quotas, with the data that can be
 * downloaded.
 */
@Component({
  selector: 'app-people-page',
  imports: [Appeals, Icon, Loaded, MatFormField, MatInput, MatLabel, OwnerForm, PageHeader, QuotaForm],
  templateUrl: './people-page.html',
  styleUrl: './people-page.scss',
})
export class PeoplePage {
  protected readonly context = inject(TaskContext);
  protected readonly numbers = inject(Numbers);
  protected readonly task = computed(() => (this.context.task.hasValue() ? this.context.task.value() : undefined));
  /** The rounds whose examples were not imported, the newest first. */
  protected readonly rounds = computed(() =>
    (this.task()?.rounds ?? [])
      .filter(({ imported }) => !imported)
      .map(({ number, state }) => ({ number, isClosed: state === 'closed' }))
      .toReversed(),
  );
  protected readonly round = linkedSignal(() => this.rounds()[0]?.number);
  protected readonly validators = validatorsListResource(() => {
    const number = this.round();
    return number === undefined ? undefined : { path: { slug: this.context.slug(), number: String(number) } };
  });

  protected address(rest: string): string {
    return `/api/v1/tasks/${this.context.slug()}/${rest}`;
  }

  protected percent(ratio: number | null): string {
    return ratio === null ? '–' : this.numbers.percent(ratio);
  }
}
