import { Component, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import { Session } from '../session/session.js';
import { CopyButton, Empty } from '../ui/index.js';

/** The first steps on a service without tasks. */
@Component({
  selector: 'app-first-steps',
  imports: [CopyButton, Empty, MatButton, RouterLink],
  template: `
    <app-empty>
      <p i18n>There is no task yet. Here will be every task with its rounds, its examples and the models that lead.</p>
      <ol>
        <li i18n>
          Make a task: what models are given, what they answer, and what counts. There are ready ones to begin with.
        </li>
        <li i18n>Add data, or open a round in which people write it.</li>
        <li i18n>Submit a model, and watch it being evaluated.</li>
      </ol>
      <div class="row">
        @if (session.user()) {
          <a matButton="filled" routerLink="/tasks/new" i18n>Make a task</a>
        } @else {
          <a matButton="filled" routerLink="/register" [queryParams]="{ next: '/tasks/new' }" i18n>Register</a>
          <a matButton="outlined" routerLink="/sign-in" [queryParams]="{ next: '/tasks/new' }" i18n>Sign in</a>
        }
      </div>
      <p>
        <ng-container i18n>Or on the command line:</ng-container> <code>{{ command }}</code>
      </p>
      <app-copy-button [text]="command" i18n>Copy the command</app-copy-button>
    </app-empty>
  `,
  styles: `
    ol {
      display: grid;
      gap: 4px;
      padding-inline-start: 20px;
    }
  `,
})
export class FirstSteps {
  protected readonly session = inject(Session);
  protected readonly command = 'assay task create --ready nli';
}
