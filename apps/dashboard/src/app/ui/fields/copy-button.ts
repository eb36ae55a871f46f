import { Clipboard } from '@angular/cdk/clipboard';
import { Component, inject, input, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Icon } from '../layout/icon.js';

/** Copies a text to the clipboard and confirms it. The projected content is the button's label. */
@Component({
  selector: 'app-copy-button',
  imports: [Icon, MatButton],
  template: `
    <button matButton type="button" (click)="copy()">
      <app-icon [name]="done() ? 'check' : 'content_copy'" />
      <span aria-live="polite">
        @if (done()) {
          <ng-container i18n>Copied</ng-container>
        } @else {
          <ng-content />
        }
      </span>
    </button>
  `,
  styles: `
    app-icon {
      margin-inline-end: 6px;
    }
  `,
})
export class CopyButton {
  readonly text = input.required<string>();

  private readonly clipboard = inject(Clipboard);
  protected readonly done = signal(false);

  protected copy(): void {
    this.done.set(this.clipboard.copy(this.text()));
  }
}
