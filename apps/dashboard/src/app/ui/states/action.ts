import { signal } from '@angular/core';
import { type Problem, problemOf } from '../../session/problem.js';

/** An action that a button starts: its progress and its last problem. */
export class Action {
  private readonly running = signal(false);
  private readonly failed = signal<Problem | undefined>(undefined);

  readonly busy = this.running.asReadonly();
  readonly problem = this.failed.asReadonly();

  /**
   * Runs `work` and returns its result; undefined if it failed. Does nothing while another run is
   * in progress.
   */
  async run<T>(work: () => Promise<T>): Promise<T | undefined> {
    if (this.running()) return undefined;
    this.running.set(true);
    this.failed.set(undefined);
    try {
      return await work();
    } catch (error) {
      this.failed.set(problemOf(error));
      return undefined;
    } finally {
      this.running.set(false);
    }
  }

  /** Clears the problem. */
  clear(): void {
    this.failed.set(undefined);
  }
}
