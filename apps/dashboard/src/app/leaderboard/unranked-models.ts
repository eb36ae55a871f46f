import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Icon } from '../ui/icon.js';
import { BoardState } from './board-state.js';

/** Models that have no row on the board, each with the reason: what is still to come, and what is missing for good. */
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
              =1 {1 still evaluating}
              other {{{ list.models.length }} still evaluating}
            }</ng-container>
          } @else {
            <ng-container i18n>{list.models.length, plural,
              =1 {1 incomplete model}
              other {{{ list.models.length }} incomplete models}
            }</ng-container>
          }
        </summary>
        <ul>
          @for (entry of list.models; track entry.model.id) {
            <li>
              <a [routerLink]="['/tasks', state.slug(), 'models', entry.model.id]">{{ entry.model.name }}</a>
              <span class="muted">{{ entry.model.owner }}</span>
              <ul>
                @for (missing of entry.missing; track missing.why) {
                  <li>{{ missing.datasets }}: {{ missing.why }}</li>
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
    const { ids } = this.state.file()?.matrix ?? { ids: [] };
    const inTable = new Set(Array.from(this.state.unranked().models, (model) => ids[model]));
    const models = (this.state.board()?.incomplete ?? [])
      .filter(({ model, pending }) => pending || !inTable.has(model.id))
      .map((entry) => ({ ...entry, missing: byReason(entry.missing) }));
    return [true, false]
      .map((pending) => ({ pending, models: models.filter((each) => each.pending === pending) }))
      .filter((list) => list.models.length > 0);
  });
}

/** The reasons, each once with all datasets that it is true of. */
function byReason(missing: readonly { readonly dataset: string; readonly why: string }[]) {
  const groups = Map.groupBy(missing, ({ why }) => why);
  return Array.from(groups, ([why, all]) => ({ why, datasets: all.map(({ dataset }) => dataset).join(', ') }));
}
