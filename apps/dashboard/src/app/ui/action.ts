import { signal } from '@angular/core';
import { type Problem, problemOf } from '../session/problem.js';

/** Something that a page does on a press: under way or not, and what went wrong the last time. */
export class Action {
  private readonly running = signal(false);
  private readonly failed = signal<Problem | undefined>(undefined);

  readonly busy = this.running.asReadonly();
  readonly problem = this.failed.asReadonly();

  /** What `work` gives, or undefined where it failed. While one runs another is not begun. */
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

  /** Forgets what went wrong. */
  clear(): void {
    this.failed.set(undefined);
  }
}
