import type { Evaluation, Model, Run } from '@assay/api-client/fetch';
import type { ModelEvent, ModelState } from '@assay/contracts/models';
import { estimateText, count, duration, threeDigits } from '../format/numbers.js';
import { examplesTitle } from '../format/dataset-text.js';
import { placeText, runText } from '../format/run-text.js';
import { tableText } from '../format/table.js';

interface DatasetProgress {
  readonly done: number;
  readonly total: number;
  readonly examplesPerSecond: number;
}

const BAR = 16;

/**
 * The progress of an evaluation by dataset, combined from the model view of the API and the events
 * since then.
 */
export class EvaluationProgress {
  private state: ModelState = 'queued';
  private evaluations: readonly Evaluation[] = [];
  private run: Run | undefined;
  private readonly progress = new Map<string, DatasetProgress>();

  /**
   * Replaces the state with the server's current view of the model.
   * @returns a line on the place in the queue, or null if it is the same
   */
  refresh(model: Model): string | null {
    const before = this.run && placeText(this.run);
    this.state = model.state;
    this.evaluations = model.evaluations;
    this.run = model.run;
    const place = this.run ? placeText(this.run) : '';
    return place === '' || place === before ? null : this.runText();
  }

  /** @returns a line that describes the change, or null if it is too small to report */
  take(event: ModelEvent): string | null {
    switch (event.type) {
      case 'state': {
        const changed = event.state !== this.state;
        this.state = event.state;
        return changed ? STATES[event.state] : null;
      }
      case 'progress': {
        const examples = examplesTitle(event);
        const before = this.progress.get(examples);
        this.progress.set(examples, event);
        return tenth(event) > (before ? tenth(before) : 0) ? progressLine(examples, event) : null;
      }
      case 'score': {
        return `${examplesTitle(event)}: ${valuesText(event.metrics)}`;
      }
    }
  }

  /** Returns the table that is redrawn after every change. */
  table(): string {
    const head = [STATES[this.state], this.runText()].filter((line) => line !== '').join('\n');
    if (this.evaluations.length === 0) return head;
    const rows = this.evaluations.map((evaluation) => {
      const progress = this.progress.get(examplesTitle(evaluation));
      // a progress event can arrive before the model view shows that the evaluation is running
      const state = progress && evaluation.state === 'queued' ? 'running' : evaluation.state;
      return [examplesTitle(evaluation), state, ...this.cells(evaluation, progress)];
    });
    return `${head}\n${tableText(['dataset', 'state', '', ''], rows)}`;
  }

  private runText(): string {
    return this.run ? runText(this.run, Date.now()) : '';
  }

  private cells({ state, metrics, failure, examples }: Evaluation, progress?: DatasetProgress): [string, string] {
    if (state === 'scored') return [bar(1), valuesText(metrics)];
    if (failure) return ['', failure.message];
    if (!progress) return [bar(0), `${count(examples)} examples`];
    return [bar(progress.done / Math.max(1, progress.total)), rateText(progress)];
  }
}

const STATES: Readonly<Record<ModelState, string>> = {
  'awaiting-artifact': 'Waiting for the artifact',
  admitting: 'Checking the artifact',
  queued: 'Waiting for an evaluator',
  running: 'Running',
  scored: 'Scored',
  failed: 'Failed',
  cancelled: 'Cancelled',
};

const valuesText = (metrics: Evaluation['metrics']): string =>
  Object.entries(metrics)
    .map(([name, value]) => `${name} ${estimateText('ratio', value)}`)
    .join(', ');

const tenth = ({ done, total }: DatasetProgress): number => Math.floor((done / Math.max(1, total)) * 10);

const progressLine = (examples: string, progress: DatasetProgress): string =>
  `${examples}: ${count(progress.done)} of ${count(progress.total)}, ${rateText(progress)}`;

function rateText({ done, total, examplesPerSecond }: DatasetProgress): string {
  const left = examplesPerSecond > 0 ? `, ${duration((total - done) / examplesPerSecond)} left` : '';
  return `${threeDigits(examplesPerSecond)} examples/s${left}`;
}

function bar(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR);
  return '█'.repeat(full) + '░'.repeat(BAR - full);
}
