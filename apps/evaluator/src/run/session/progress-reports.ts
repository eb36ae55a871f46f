import type { SandboxData } from '@assay/sandbox';
import type { AssignedDataset } from '@assay/contracts/gateway';
import type { LeasedRun, Progress } from '../../gateway/leased-run.js';

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

  constructor(private readonly run: Pick<LeasedRun, 'progress'>) {}

  /** @returns a callback for the number of examples that are done */
  of({ id, examples: total }: AssignedDataset, data: SandboxData): (done: number) => void {
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
      this.run.progress(id, progress);
    };
  }
}

/** Rounds the progress down to tenths of the dataset, and the rate to one digit. */
export const coarseProgress = ({ done, examplesPerSecond }: Progress, total: number): Progress => ({
  done: Math.floor((Math.floor((HIDDEN_REPORTS * done) / total) * total) / HIDDEN_REPORTS),
  examplesPerSecond: Number(examplesPerSecond.toPrecision(1)),
});
