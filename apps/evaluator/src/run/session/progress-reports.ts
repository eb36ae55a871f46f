import { notifyModels } from '@assay/evaluation';
import { type RunScope } from '@assay/evaluation/runs';
import type { SandboxData } from '@assay/sandbox';
import type { NamedExamples } from '@assay/tasks/examples';
import type { EntityManager } from '@mikro-orm/postgresql';

const INTERVAL_MILLISECONDS = 500;
/** Maximum number of reports on a hidden dataset, because the model controls their timing. */
const HIDDEN_REPORTS = 10;

/**
 * Reports the progress of a run on a dataset at most twice a second. For a hidden dataset it
 * reports at most ten times, in tenths and with a rate of one digit. A lost report is harmless: the
 * next one follows.
 */
export class ProgressReports {
  private last = -Infinity;

  constructor(
    private readonly em: EntityManager,
    private readonly scope: RunScope,
  ) {}

  /** @returns a callback for the number of examples that are done */
  ofExamples(examples: NamedExamples, total: number, data: SandboxData): (done: number) => void {
    const started = performance.now();
    let reported = 0;
    return (answered) => {
      const now = performance.now();
      if (now - this.last < INTERVAL_MILLISECONDS && answered < total) return;
      const examplesPerSecond = Math.round((answered / Math.max(now - started, 1)) * 10_000) / 10;
      const exact: Progress = { done: answered, examplesPerSecond };
      const progress = data === 'hidden' ? coarseProgress(exact, total) : exact;
      if (data === 'hidden' && progress.done === reported) return;
      reported = progress.done;
      this.last = now;
      void notifyModels(this.em.fork(), {
        ...this.scope,
        event: { type: 'progress', ...examples, total, ...progress },
      }).catch(() => undefined);
    };
  }
}

interface Progress {
  readonly done: number;
  readonly examplesPerSecond: number;
}

/** Rounds the progress down to tenths of the dataset, and the rate to one digit. */
export const coarseProgress = ({ done, examplesPerSecond }: Progress, total: number): Progress => ({
  done: Math.floor((Math.floor((HIDDEN_REPORTS * done) / total) * total) / HIDDEN_REPORTS),
  examplesPerSecond: Number(examplesPerSecond.toPrecision(1)),
});
