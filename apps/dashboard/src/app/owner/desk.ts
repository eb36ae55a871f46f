import { Component } from '@angular/core';

/**
 * Lays out a form with a preview of its effect at the right, or below it on narrow screens:
 * `<app-desk>form <aside>…</aside></app-desk>`.
 */
@Component({
  selector: 'app-desk',
  template: `
    <div class="form"><ng-content /></div>
    <div class="beside"><ng-content select="aside" /></div>
  `,
  styles: `
    :host {
      display: grid;
      grid-template-columns: minmax(0, 1fr) minmax(280px, 360px);
      gap: 32px;
      align-items: start;

      @media (max-width: 1000px) {
        grid-template-columns: minmax(0, 1fr);
        gap: 24px;
      }
    }

    .form {
      min-width: 0;
    }

    .beside {
      position: sticky;
      top: calc(var(--bar) + 16px);
      min-width: 0;

      @media (max-width: 1000px) {
        position: static;
      }
    }
  `,
})
export class Desk {}
