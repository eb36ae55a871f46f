import { HttpClient } from '@angular/common/http';
import { Component, computed, inject, input, output, signal } from '@angular/core';
import { rxResource } from '@angular/core/rxjs-interop';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import {
  type Model,
  modelsCancel,
  modelsLogs,
  modelsPublish,
  modelsRerun,
  type Quota,
} from '@assay/api-client/angular';
import { EvaluationProgress } from '../model/evaluation-progress.js';
import { Action, FailureReason, Numbers } from '../ui/index.js';
import { standingWhenListed } from './standing.js';

const ACTS = { cancel: modelsCancel, rerun: modelsRerun, publish: modelsPublish } as const;

/** The third step: progress and result of the evaluation. */
@Component({
  selector: 'app-evaluation-step',
  imports: [EvaluationProgress, FailureReason, MatButton, RouterLink],
  templateUrl: './evaluation-step.html',
  styleUrl: './evaluation-step.scss',
})
export class EvaluationStep {
  readonly model = input.required<Model>();
  readonly quota = input<Quota>();
  /** Emits when the model may have changed and must be reloaded. */
  readonly changed = output();

  private readonly http = inject(HttpClient);
  protected readonly numbers = inject(Numbers);
  protected readonly action = new Action();
  protected readonly log = signal<string | null>(null);
  protected readonly isFinal = computed(() => ['scored', 'failed', 'cancelled'].includes(this.model().state));
  protected readonly isPlatforms = computed(() => this.model().failure?.fault !== 'model');
  protected readonly standing = rxResource({
    params: () => {
      const { id, task, owner, state, published, withdrawn } = this.model();
      return state === 'scored' && published && !withdrawn ? { id, task, owner } : undefined;
    },
    stream: ({ params }) => standingWhenListed(this.http, params),
  });

  protected async act(kind: keyof typeof ACTS | 'log'): Promise<void> {
    const path = { id: this.model().id };
    await this.action.run(async () => {
      if (kind === 'log') this.log.set((await modelsLogs({ path })).data.log);
      else await ACTS[kind]({ path });
      this.changed.emit();
    });
  }
}
