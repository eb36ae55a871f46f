import { isCostMetric, taskWeights, type TaskDefinition } from '@assay/contracts';
import type { Held, MeasuringLocks } from '../host/host-lock.js';
import type { TimeBudget } from './time-budget.js';

/** Milliseconds of a run that it waits altogether for models in the loop that are being started. */
const PATIENCE = 300_000;

/** Whether the board of the task, or its loop, looks at what a model costs. */
export function weighsCosts(definition: TaskDefinition): boolean {
  const bounded = Object.keys({ ...definition.loop.minimum, ...definition.loop.maximum });
  const weighed = Object.entries(taskWeights(definition)).flatMap(([name, weight]) => (weight > 0 ? [name] : []));
  return [...bounded, ...weighed].some(isCostMetric);
}

/**
 * Keeps the models in the loop of this host still while something of a run is timed, and only then: people wait for their answers meanwhile.
 * Where the task weighs no cost they are not held at all; figures that they disturbed are marked as contended.
 */
export class Stillness {
  private patience: number;

  constructor(
    private readonly definition: TaskDefinition,
    /** Aborted when the run has to end. */
    private readonly signal: AbortSignal,
    private readonly locks: Pick<MeasuringLocks, 'timed'>,
    patience = PATIENCE,
  ) {
    this.patience = patience;
  }

  /** What is waited for the others does not count towards the time of the model. */
  async during<T>(budget: TimeBudget, work: () => Promise<T>): Promise<T> {
    if (!weighsCosts(this.definition)) return work();
    const lock = await budget.without(() => this.lock());
    try {
      return await work();
    } finally {
      await lock?.release();
    }
  }

  /** @returns null where all patience is spent: the run has a deadline of its own, and its figures are marked where they suffer */
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
