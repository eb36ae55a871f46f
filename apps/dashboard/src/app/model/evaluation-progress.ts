import { Component, computed, effect, inject, input, output, signal, untracked } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { type Estimate as Figure, type Model, modelsGetResource, type Run } from '@assay/api-client/angular';
import { Estimate, Loaded, Numbers } from '../ui/index.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { metricName } from '../ui/terms/terms.js';
import { examplesTitle, hear, NOTHING_HEARD, type ProgressRow, progressRows, timeLeft } from './progress-rows.js';
import { isFinal, modelEvents, type ModelState, type StreamEvent } from './model-events.js';
import { runEstimate, runningNow } from './run-words.js';

/**
 * Shows the live progress of a model's evaluation by dataset: `<app-evaluation-progress
 * [model]="id" (finished)="…" />`. Loads the model and follows its events by itself.
 */
@Component({
  selector: 'app-evaluation-progress',
  imports: [Estimate, Loaded, MatButton],
  templateUrl: './evaluation-progress.html',
  styleUrl: './evaluation-progress.scss',
})
export class EvaluationProgress {
  /** The id of the model. */
  readonly model = input.required<string>();
  /** Emits the model when its evaluation has ended: scored, failed or cancelled. */
  readonly finished = output<Model>();

  protected readonly numbers = inject(Numbers);
  protected readonly read = modelsGetResource(() => ({ path: { id: this.model() } }));
  private readonly heard = signal(NOTHING_HEARD);
  private readonly isStale = signal(false);
  private readonly attempt = signal(0);
  private readonly toldState = signal<ModelState | undefined>(undefined);
  /** True if the live connection was given up. */
  protected readonly isCut = signal(false);

  protected readonly rows = computed(() =>
    this.read.hasValue() ? progressRows(this.read.value().evaluations, this.heard()) : [],
  );
  protected readonly sentence = computed(() => {
    if (!this.read.hasValue()) return '';
    const { state, run } = this.read.value();
    return runSentence(this.toldState() ?? state, run);
  });
  private readonly run = computed(() => (this.read.hasValue() ? this.read.value().run : undefined));
  protected readonly estimate = computed(() => this.words(runEstimate));
  protected readonly running = computed(() => this.words(runningNow));
  protected readonly left = computed(() => {
    const left = timeLeft(this.rows());
    return left === undefined ? '' : this.numbers.duration(left);
  });

  constructor() {
    effect((onCleanup) => {
      this.attempt();
      const following = modelEvents(this.model()).subscribe({
        next: (event) => untracked(() => this.take(event)),
        error: () => this.isCut.set(true),
      });
      onCleanup(() => following.unsubscribe());
    });
    effect(() => {
      // reloading while a request is in flight would lose the changes since that request
      if (!this.isStale() || this.read.isLoading()) return;
      this.isStale.set(false);
      this.read.reload();
    });
    effect(() => {
      if (this.isStale() || this.read.isLoading() || !this.read.hasValue()) return;
      const model = this.read.value();
      if (isFinal(model.state)) untracked(() => this.finished.emit(model));
    });
  }

  /** Reconnects after the live connection was given up. */
  protected again(): void {
    this.isCut.set(false);
    this.attempt.update((attempt) => attempt + 1);
  }

  /** Describes the run at the time at which it was read. */
  private words(describe: (run: Run, now: number, numbers: Numbers) => string): string {
    const run = this.run();
    return run ? describe(run, Date.now(), this.numbers) : '';
  }

  private take(event: StreamEvent): void {
    if (event.type === 'ping') {
      // the place in the queue and the estimates change without an event of the model
      if (this.run()) this.isStale.set(true);
      return;
    }
    this.heard.update((heard) => hear(heard, event));
    if (event.type === 'state') this.toldState.set(event.state);
    // an event says that something changed; the API says what the model is now
    if (event.type !== 'progress') this.isStale.set(true);
  }

  protected readonly title = examplesTitle;

  protected barLabel(row: ProgressRow): string {
    return $localize`Examples of ${examplesTitle(row)}:dataset: that are answered`;
  }

  /** Returns the first metric, which is the performance metric of the task. */
  protected first({
    metrics,
  }: ProgressRow): { readonly name: string; readonly unit: string; readonly value: Figure } | undefined {
    const [entry] = Object.entries(metrics ?? {});
    return entry && { name: metricName(entry[0]), unit: metricReading(entry[0]).unit, value: entry[1] };
  }

  protected share({ done, total }: ProgressRow): number {
    return total > 0 ? Math.min(100, (done / total) * 100) : 0;
  }
}

/** Returns the state of a model's evaluation as text, with a note on retries. */
export function runSentence(state: ModelState, run: Run | undefined): string {
  const again =
    run && run.attempt > 1 ? $localize`It is tried again after a fault of the platform, which costs no quota.` : '';
  return [SENTENCES[state], again].filter((each) => each !== '').join(' ');
}

const SENTENCES: Readonly<Record<ModelState, string>> = {
  'awaiting-artifact': $localize`Its artifact has not come yet.`,
  admitting: $localize`Its artifact is inspected: nothing of it runs before that is done.`,
  queued: $localize`Queued. It starts automatically.`,
  running: $localize`It runs in a sandbox without a network. Each dataset is scored as soon as it is answered.`,
  scored: $localize`All of it is scored.`,
  failed: $localize`It has failed.`,
  cancelled: $localize`It was cancelled.`,
};
