import { Component, input } from '@angular/core';
import type { Action } from './action.js';

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
