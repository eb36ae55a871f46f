import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Icon } from '../ui/icon.js';
import { BoardState } from './board-state.js';

/** Models without a rank, each with the reason: what is still to come, and what is missing for good. */
@Component({
  selector: 'app-unranked-models',
  imports: [Icon, RouterLink],
  template: `
    @for (list of lists(); track list.pending) {
      <details>
        <summary>
          <app-icon [name]="list.pending ? 'schedule' : 'warning'" />
          @if (list.pending) {
            <ng-container i18n>{list.models.length, plural,
              =1 {1 model is not complete yet}
              other {{{ list.models.length }} models are not complete yet}
            }</ng-container>
          } @else {
            <ng-container i18n>{list.models.length, plural,
              =1 {1 model has no rank}
              other {{{ list.models.length }} models have no rank}
            }</ng-container>
          }
        </summary>
        <ul>
          @for (entry of list.models; track entry.model.id) {
            <li>
              <a [routerLink]="['/tasks', state.slug(), 'models', entry.model.id]">{{ entry.model.name }}</a>
              <span class="muted">{{ entry.model.owner }}</span>
              <ul>
                @for (missing of entry.missing; track missing.dataset) {
                  <li>{{ missing.dataset }}: {{ missing.why }}</li>
                }
              </ul>
            </li>
          }
        </ul>
      </details>
    }
  `,
  styles: `
    :host {
      display: grid;
      gap: 8px;
    }

    summary {
      min-height: 28px;
      line-height: 28px;
      cursor: pointer;

      app-icon {
        margin-inline: 4px 6px;
        color: var(--muted);
        vertical-align: -3px;
      }
    }

    ul {
      display: grid;
      gap: 8px;
      padding-inline-start: 24px;
      list-style: none;

      ul {
        gap: 0;
        padding-inline-start: 0;
        color: var(--muted);
      }
    }
  `,
})
export class UnrankedModels {
  protected readonly state = inject(BoardState);

  protected readonly lists = computed(() => {
    const models = this.state.board()?.incomplete ?? [];
    return [true, false]
      .map((pending) => ({ pending, models: models.filter((each) => each.pending === pending) }))
      .filter((list) => list.models.length > 0);
  });
}
