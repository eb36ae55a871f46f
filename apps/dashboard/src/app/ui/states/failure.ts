import { Component, input, output } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { RouterLink } from '@angular/router';
import type { Problem } from '../../session/problem.js';
import { Empty } from './empty.js';
import { Icon } from '../layout/icon.js';

/**
 * A problem in place of the content that could not be loaded, with a way to continue. A missing
 * board is shown as a note, because it is not an error.
 */
@Component({
  selector: 'app-failure',
  imports: [Empty, Icon, MatButton, RouterLink],
  template: `
    @if (problem().code === 'no_board_yet') {
      <app-empty>
        <p>{{ problem().detail }}</p>
      </app-empty>
    } @else {
      <div class="failure" role="alert">
        <app-icon name="error" />
        <div class="stack">
          <p>{{ problem().detail }}</p>
          <div class="row">
            @switch (problem().status) {
              @case (401) {
                <a matButton="outlined" routerLink="/sign-in" i18n>Sign in</a>
              }
              @case (403) {
                <a matButton="outlined" routerLink="/" i18n>Go to the tasks</a>
              }
              @case (404) {
                <a matButton="outlined" routerLink="/" i18n>Go to the tasks</a>
              }
              @default {
                <button matButton="outlined" type="button" (click)="again.emit()" i18n>Try again</button>
              }
            }
          </div>
        </div>
      </div>
    }
  `,
  styles: `
    .failure {
      max-width: 70ch;
      margin: 16px 0;
      padding: 16px;
    }
  `,
})
export class Failure {
  readonly problem = input.required<Problem>();
  readonly again = output();
}
