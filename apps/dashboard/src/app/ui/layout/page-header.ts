import { Component, input } from '@angular/core';

/**
 * The title of a page, a lead below it, and actions at the right: `<app-page-header
 * title="…"><button …></app-page-header>`.
 */
@Component({
  selector: 'app-page-header',
  template: `
    <div>
      <h1 dir="auto">{{ title() }}</h1>
      @if (lead(); as lead) {
        <p class="muted" dir="auto">{{ lead }}</p>
      }
    </div>
    <div class="row"><ng-content /></div>
  `,
  styles: `
    :host {
      display: flex;
      flex-wrap: wrap;
      gap: 12px 24px;
      align-items: start;
      justify-content: space-between;
      margin-bottom: 20px;
    }

    p {
      max-width: 70ch;
      margin-top: 4px;
    }
  `,
})
export class PageHeader {
  readonly title = input.required<string>();
  readonly lead = input<string>();
}
