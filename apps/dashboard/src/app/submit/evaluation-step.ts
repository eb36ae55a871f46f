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
import { problemOf } from '../session/problem.js';
import { FailureReason } from '../ui/states/failure-reason.js';
import { Numbers } from '../ui/text/numbers.js';
import { StandingResource } from './standing-resource.js';

/** The third step: progress and result of the evaluation. */
@Component({
  selector: 'app-evaluation-step',
  imports: [EvaluationProgress, FailureReason, MatButton, RouterLink],
  providers: [StandingResource],
  templateUrl: './evaluation-step.html',
  styleUrl: './evaluation-step.scss',
})
export class EvaluationStep {
  readonly model = input.required<Model>();
  readonly quota = input<Quota>();
  /** Emits when the model may have changed and must be reloaded. */
  readonly changed = output();

  private readonly standings = inject(StandingResource);
  protected readonly numbers = inject(Numbers);
  protected readonly isBusy = signal(false);
  protected readonly problem = signal('');
  protected readonly log = signal<string | null>(null);
  protected readonly isFinal = computed(() => ['scored', 'failed', 'cancelled'].includes(this.model().state));
  protected readonly isPlatforms = computed(() => this.model().failure?.fault !== 'model');
  protected readonly standing = rxResource({
    params: () => {
      const { id, task, owner, state, published, withdrawn } = this.model();
      return state === 'scored' && published && !withdrawn ? { id, task, owner } : undefined;
    },
    stream: ({ params }) => this.standings.of(params),
  });

  protected cancel(): Promise<void> {
    return this.act((path) => modelsCancel({ path, throwOnError: true }));
  }

  protected rerun(): Promise<void> {
    return this.act((path) => modelsRerun({ path, throwOnError: true }));
  }

  protected publish(): Promise<void> {
    return this.act((path) => modelsPublish({ path, throwOnError: true }));
  }

  protected readLog(): Promise<void> {
    return this.act(async (path) => {
      const { data } = await modelsLogs({ path, throwOnError: true });
      this.log.set(data.log);
    });
  }

  private async act(action: (path: { readonly id: string }) => Promise<unknown>): Promise<void> {
    this.isBusy.set(true);
    this.problem.set('');
    try {
      await action({ id: this.model().id });
      this.changed.emit();
    } catch (error) {
      this.problem.set(problemOf(error).detail);
    } finally {
      this.isBusy.set(false);
    }
  }
}
