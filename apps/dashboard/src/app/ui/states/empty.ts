import { Component } from '@angular/core';

/** The empty state of a page: what will appear, and the first step. Both are projected content. */
@Component({
  selector: 'app-empty',
  template: '<ng-content />',
  styles: `
    :host {
      display: grid;
      gap: 12px;
      justify-items: start;
      max-width: 70ch;
      padding: 24px;
      border: 1px dashed var(--line-strong);
      border-radius: var(--radius);
      color: var(--muted);
    }
  `,
})
export class Empty {}
