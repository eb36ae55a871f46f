import { Component, computed, inject, LOCALE_ID, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatCheckbox } from '@angular/material/checkbox';
import { MatRadioButton, MatRadioGroup } from '@angular/material/radio';
import { RouterLink } from '@angular/router';
import {
  leaderboardLoopResource,
  modelsListResource,
  type OpenRound,
  type Round,
  roundsOpen,
  type TurningRule,
} from '@assay/api-client/angular';
import { TaskContext } from '../../task/task-context.js';
import { FORM_FIELD } from '../../ui/fields/form-field.js';
import { Action, ActionProblem, Numbers } from '../../ui/index.js';
import { Desk } from '../desk.js';
import { TurningFields } from './turning-fields.js';
import { turningSentences } from './turning-rule.js';

/** Opens a round, against the target models that the policy selects or against chosen ones. */
@Component({
  selector: 'app-open-round',
  imports: [
    ActionProblem,
    Desk,
    FORM_FIELD,
    MatButton,
    MatCheckbox,
    MatRadioButton,
    MatRadioGroup,
    RouterLink,
    TurningFields,
  ],
  templateUrl: './open-round.html',
  styles: `
    mat-radio-group {
      display: grid;
      justify-items: start;
    }

    .models {
      display: grid;
    }

    ul {
      padding-inline-start: 18px;
    }
  `,
})
export class OpenRoundForm {
  readonly opened = output<Round>();

  protected readonly context = inject(TaskContext);
  private readonly numbers = inject(Numbers);
  private readonly locale = inject(LOCALE_ID);
  protected readonly opening = new Action();
  protected readonly description = signal('');
  protected readonly by = signal<'policy' | 'name'>('policy');
  protected readonly chosen = signal<ReadonlySet<string>>(new Set());

  protected readonly loop = leaderboardLoopResource(this.context.path);
  private readonly models = modelsListResource(() => {
    const path = this.context.path();
    return path && { ...path, query: { limit: 200 } };
  });
  protected readonly scored = computed(() =>
    this.models.hasValue()
      ? this.models.value().items.filter(({ state, kind }) => state === 'scored' && kind !== 'predictions')
      : [],
  );
  private readonly task = this.context.loaded;
  protected readonly number = computed(
    () => Math.max(0, ...(this.task()?.rounds.map(({ number }) => number) ?? [])) + 1,
  );
  protected readonly turn = signal<TurningRule | undefined>(undefined);
  protected readonly rule = computed(() => this.turn() ?? this.task()?.collection?.turn ?? {});
  protected readonly collects = computed(() => this.task()?.collection !== undefined);

  protected readonly against = computed(() => {
    if (this.by() === 'name')
      return this.scored()
        .filter(({ id }) => this.chosen().has(id))
        .map(({ name }) => name);
    return this.loop.hasValue() ? this.loop.value().models.map(({ model }) => model.name) : [];
  });
  protected readonly closing = computed(() =>
    turningSentences(this.rule(), {
      count: (value) => this.numbers.count(value),
      percent: (ratio) => this.numbers.percent(ratio),
      time: (iso) =>
        new Intl.DateTimeFormat(this.locale, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(iso)),
    }),
  );

  protected choose(id: string, isChosen: boolean): void {
    this.chosen.update((before) => new Set(isChosen ? [...before, id] : [...before].filter((each) => each !== id)));
  }

  protected async open(): Promise<void> {
    const body: OpenRound = {
      ...(this.description() !== '' && { description: this.description() }),
      ...(this.turn() && { turn: this.turn()! }),
      ...(this.by() === 'name' && { models: [...this.chosen()] }),
    };
    await this.opening.run(async () => {
      const { data } = await roundsOpen({ path: { slug: this.context.slug() }, body });
      this.context.task.reload();
      this.opened.emit(data);
    });
  }
}
