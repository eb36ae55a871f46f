import { Component, computed, inject, input, output } from '@angular/core';
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
import { Action, Confirm, Icon } from '../ui/index.js';
import { ACTION_QUESTIONS, type ModelAction } from './action-questions.js';
import { possibleActions } from './model-standing.js';

/** Sends each action to the service. */
const ACTS: Readonly<Record<ModelAction, (path: { readonly id: string }) => Promise<unknown>>> = {
  rerun: (path) => modelsRerun({ path }),
  measure: (path) => modelsRerun({ path, query: { measures: 'true' } }),
  cancel: (path) => modelsCancel({ path }),
  publish: (path) => modelsPublish({ path }),
  withdraw: (path) => modelsWithdraw({ path }),
  archive: (path) => modelsArchive({ path }),
  'leave-loop': (path) => modelsPatch({ path, body: { loop: false } }),
  'join-loop': (path) => modelsPatch({ path, body: { loop: true } }),
};

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
    }
  `,
})
export class ModelActions {
  readonly model = input.required<Model>();
  /** Emits after an action succeeded: the model has changed. */
  readonly acted = output();

  private readonly confirm = inject(Confirm);
  protected readonly possible = computed(() => possibleActions(this.model()));
  protected readonly action = new Action();

  protected async act(kind: ModelAction): Promise<void> {
    if (!(await this.confirm.ask(ACTION_QUESTIONS[kind]))) return;
    await this.action.run(async () => {
      await ACTS[kind]({ id: this.model().id });
      this.acted.emit();
    });
  }
}
