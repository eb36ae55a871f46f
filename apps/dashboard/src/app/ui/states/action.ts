import { Component, input, signal } from '@angular/core';
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

/** Shows the problem of an action next to its button. */
@Component({
  selector: 'app-action-problem',
  template: `
    <div role="alert">
      @if (of().problem(); as problem) {
        <p>{{ problem.detail }}</p>
        @if (problem.errors.length > 1) {
          <ul>
            @for (error of problem.errors.slice(0, 20); track $index) {
              <li>
                @if (error.path) {
                  <code>{{ error.path }}</code>:
                }
                {{ error.message }}
              </li>
            }
          </ul>
        }
      }
    </div>
  `,
  styles: `
    :host:not(:has(p)) {
      display: none;
    }

    div {
      color: var(--bad);
    }

    ul {
      padding-inline-start: 20px;
    }
  `,
})
export class ActionProblem {
  readonly of = input.required<Action>();
}
