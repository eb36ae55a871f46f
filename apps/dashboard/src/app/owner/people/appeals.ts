import { Component, computed, inject, input, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import {
  type AppealList,
  type DecideAlone,
  ownexamplesAppealsResource,
  validationsDecide,
} from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Loaded, valueText, When } from '../../ui/index.js';

type AppealedExample = AppealList['items'][number];

const FATES: Readonly<Record<AppealedExample['fate'], string>> = {
  pending: $localize`not validated yet`,
  validated: $localize`found correct`,
  rejected: $localize`rejected`,
  flagged: $localize`flagged`,
  undecided: $localize`undecided`,
  retracted: $localize`retracted`,
};

/** The appeals in which authors ask the owner to decide on an example, the oldest first. */
@Component({
  selector: 'app-appeals',
  imports: [ActionProblem, FORM_FIELD, Loaded, MatButton, When],
  templateUrl: './appeals.html',
  styleUrl: './appeals.scss',
})
export class Appeals {
  readonly slug = input.required<string>();

  private readonly context = inject(TaskContext);
  protected readonly fates = FATES;
  protected readonly appeals = ownexamplesAppealsResource(() =>
    this.slug() ? { path: { slug: this.slug() }, query: { limit: 100 } } : undefined,
  );
  protected readonly open = computed(() =>
    this.appeals.hasValue() ? this.appeals.value().items.filter(({ appeal }) => appeal.answeredAt === null) : [],
  );
  protected readonly answered = computed(() =>
    this.appeals.hasValue() ? this.appeals.value().items.filter(({ appeal }) => appeal.answeredAt !== null).length : 0,
  );
  protected readonly deciding = new Action();
  protected readonly chosen = signal<string | undefined>(undefined);
  protected readonly outcome = signal<DecideAlone['outcome']>('validated');
  protected readonly reason = signal('');

  protected fields({ input }: AppealedExample): readonly { readonly name: string; readonly text: string }[] {
    return Object.entries(input).map(([name, value]) => ({ name, text: valueText(value) }));
  }

  protected choose(id: string | undefined): void {
    this.chosen.set(id);
    this.reason.set('');
    this.deciding.clear();
  }

  protected async decide({ id }: AppealedExample): Promise<void> {
    await this.deciding.run(async () => {
      await validationsDecide({ path: { id }, body: { outcome: this.outcome(), reason: this.reason() } });
      this.choose(undefined);
      this.appeals.reload();
      this.context.task.reload();
    });
  }
}
