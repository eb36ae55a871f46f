import { Component, input } from '@angular/core';

/** A bar for a share of a whole. Hidden from screen readers, because the figure is next to it. */
@Component({
  selector: 'app-share-bar',
  template: `<div aria-hidden="true"><span [style.width.%]="share() * 100"></span></div>`,
  styles: `
    :host {
      display: block;
      min-width: 80px;
    }

    div {
      height: 10px;
      border-radius: 5px;
      background: var(--line);
      overflow: hidden;
    }

    span {
      display: block;
      height: 100%;
      background: var(--data-1);
    }
  `,
})
export class ShareBar {
  /** A ratio from 0 to 1. */
  readonly share = input.required<number>();
}
