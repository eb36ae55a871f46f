import { Component, input, model } from '@angular/core';
import { MatButton } from '@angular/material/button';

/**
 * Pages through a list of the API, newest first. `cursors` holds the cursors of the pages opened
 * after the first.
 */
@Component({
  selector: 'app-pager',
  imports: [MatButton],
  template: `
    @if (cursors().length > 0 || next()) {
      <nav class="row" i18n-aria-label aria-label="Pages of the list">
        <button matButton="outlined" type="button" [disabled]="cursors().length === 0" (click)="newer()" i18n>
          Newer
        </button>
        <button matButton="outlined" type="button" [disabled]="!next()" (click)="older()" i18n>Older</button>
      </nav>
    }
  `,
})
export class Pager {
  readonly cursors = model.required<readonly string[]>();
  /** The cursor of the next, older page. */
  readonly next = input<string>();

  protected newer(): void {
    this.cursors.update((cursors) => cursors.slice(0, -1));
  }

  protected older(): void {
    const next = this.next();
    if (next !== undefined) this.cursors.update((cursors) => [...cursors, next]);
  }
}
