import type { Held } from '@assay/persistence/locks';
import type { MeasuringLocks } from '../../host/measuring-locks.js';
import type { TimeBudget } from '../session/time-budget.js';

/** Maximum total milliseconds that a run waits for starting target models. */
const PATIENCE = 300_000;

/**
 * A quiet window for timing. The target models of this host do not answer while a pass of a run is
 * timed, and only then, because people wait for their answers. If the task has no weight or bound
 * on a cost, they are not paused; figures that they disturb are marked as contended.
 */
export class QuietWindow {
  private patience: number;

  constructor(
    /** True if the task has a weight or bound on a cost. */
    private readonly weighsCosts: boolean,
    /** Aborted when the run has to end. */
    private readonly signal: AbortSignal,
    private readonly locks: Pick<MeasuringLocks, 'timed'>,
    patience = PATIENCE,
  ) {
    this.patience = patience;
  }

  /**
   * Runs `work` in a quiet window. The time spent waiting for the window does not count towards the
   * model's time.
   */
  async during<T>(budget: TimeBudget, work: () => Promise<T>): Promise<T> {
    if (!this.weighsCosts) return work();
    const lock = await budget.without(() => this.lock());
    try {
      return await work();
    } finally {
      await lock?.release();
    }
  }

  /**
   * @returns null if the waiting time is used up: the run has a deadline of its own, and disturbed
   *   figures are marked
   */
  private async lock(): Promise<Held | null> {
    const since = performance.now();
    const over = AbortSignal.timeout(Math.max(0, Math.round(this.patience)));
    try {
      return await this.locks.timed(AbortSignal.any([this.signal, over]));
    } catch (error) {
      this.signal.throwIfAborted();
      if (!over.aborted) throw error;
      return null;
    } finally {
      this.patience -= performance.now() - since;
    }
  }
}
