import { Component, input, output } from '@angular/core';
import { Icon } from '../../ui/index.js';
import type { TextProblem } from './definition-text.js';

/** Lists the problems of a text. The line number of each moves the cursor there. */
@Component({
  selector: 'app-problem-list',
  imports: [Icon],
  template: `
    @if (problems().length > 0) {
      <ul>
        @for (problem of problems(); track $index) {
          <li>
            <app-icon name="error" />
            @if (problem.line; as line) {
              <button type="button" class="link" (click)="goTo.emit(problem)" i18n>line {{ line }}</button>:
            }
            @if (problem.path) {
              <code>{{ problem.path }}</code>:
            }
            {{ problem.message }}
          </li>
        }
      </ul>
    }
  `,
  styles: `
    ul {
      display: grid;
      gap: 4px;
      padding: 0;
      list-style: none;
    }

    app-icon {
      color: var(--bad);
      vertical-align: -4px;
    }

    .link {
      min-height: 24px;
      padding: 0 2px;
      border: 0;
      background: none;
      color: var(--accent);
      font: inherit;
      text-decoration: underline;
      cursor: pointer;
    }
  `,
})
export class ProblemList {
  readonly problems = input.required<readonly TextProblem[]>();
  readonly goTo = output<TextProblem>();
}
