import { Component, input, model } from '@angular/core';
import { MatButton } from '@angular/material/button';

/** Goes through a list that the API gives in pages, newest first. `cursors` are those of the pages behind the first. */
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
  /** Of the page behind this one. */
  readonly next = input<string>();

  protected newer(): void {
    this.cursors.update((cursors) => cursors.slice(0, -1));
  }

  protected older(): void {
    const next = this.next();
    if (next !== undefined) this.cursors.update((cursors) => [...cursors, next]);
  }
}
