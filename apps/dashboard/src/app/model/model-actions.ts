import { Component, computed, inject, input, output, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatMenu, MatMenuItem, MatMenuTrigger } from '@angular/material/menu';
import {
  type Model,
  modelsArchive,
  modelsCancel,
  modelsPatch,
  modelsPublish,
  modelsRerun,
  modelsWithdraw,
} from '@assay/api-client/angular';
import { type Problem, problemOf } from '../session/problem.js';
import { Confirm } from '../ui/dialogs/confirm.js';
import { Icon } from '../ui/layout/icon.js';
import type { Question } from '../ui/dialogs/question.js';
import { ACTION_QUESTIONS, type ModelAction } from './action-questions.js';
import { possibleActions } from './model-standing.js';

/** The actions of a model's owner. Each one asks for confirmation first. */
@Component({
  selector: 'app-model-actions',
  imports: [Icon, MatButton, MatMenu, MatMenuItem, MatMenuTrigger],
  templateUrl: './model-actions.html',
  styles: `
    :host {
      display: contents;
    }

    app-icon {
      margin-inline-end: 6px;
      vertical-align: -4px;
    }

    .problem {
      flex-basis: 100%;
      color: var(--bad);
    }
  `,
})
export class ModelActions {
  readonly model = input.required<Model>();
  /** Emits after an action succeeded: the model has changed. */
  readonly acted = output();

  private readonly confirm = inject(Confirm);
  protected readonly possible = computed(() => possibleActions(this.model()));
  protected readonly isBusy = signal(false);
  protected readonly problem = signal<Problem | undefined>(undefined);

  protected async act(action: ModelAction): Promise<void> {
    const question: Question = ACTION_QUESTIONS[action];
    if (!(await this.confirm.ask(question))) return;
    this.isBusy.set(true);
    this.problem.set(undefined);
    try {
      await this.send(action);
      this.acted.emit();
    } catch (error) {
      this.problem.set(problemOf(error));
    } finally {
      this.isBusy.set(false);
    }
  }

  private send(action: ModelAction): Promise<unknown> {
    const path = { id: this.model().id };
    switch (action) {
      case 'rerun':
        return modelsRerun({ path, throwOnError: true });
      case 'measure':
        return modelsRerun({ path, query: { measures: 'true' }, throwOnError: true });
      case 'cancel':
        return modelsCancel({ path, throwOnError: true });
      case 'publish':
        return modelsPublish({ path, throwOnError: true });
      case 'withdraw':
        return modelsWithdraw({ path, throwOnError: true });
      case 'archive':
        return modelsArchive({ path, throwOnError: true });
      case 'leave-loop':
        return modelsPatch({ path, body: { loop: false }, throwOnError: true });
      case 'join-loop':
        return modelsPatch({ path, body: { loop: true }, throwOnError: true });
    }
  }
}
