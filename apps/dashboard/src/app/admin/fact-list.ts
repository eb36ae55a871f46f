import { Component, input } from '@angular/core';
import type { ChangedFact } from './changed-facts.js';

/** Facts before and after a change, one per line. */
@Component({
  selector: 'app-fact-list',
  template: `
    <ul>
      @for (fact of facts(); track fact.name) {
        <li>
          <span class="muted">{{ fact.name }}:</span>&ngsp;
          @if (fact.from !== undefined && fact.to !== undefined) {
            {{ fact.from }}&ngsp;<span aria-hidden="true">→</span>
            <span class="visually-hidden" i18n>became</span>&ngsp;<strong>{{ fact.to }}</strong>
          } @else if (fact.to !== undefined) {
            <strong>{{ fact.to }}</strong>
          } @else {
            <ng-container i18n>was {{ fact.from }}</ng-container>
          }
        </li>
      }
    </ul>
  `,
  styles: `
    ul {
      padding: 0;
      list-style: none;
    }

    li {
      overflow-wrap: anywhere;
    }

    strong {
      font-weight: 500;
    }
  `,
})
export class FactList {
  readonly facts = input.required<readonly ChangedFact[]>();
}
