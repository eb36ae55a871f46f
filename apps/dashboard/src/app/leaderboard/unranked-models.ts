import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Leaderboard } from '@assay/api-client/angular';
import { Icon, Numbers } from '../ui/index.js';
import { BoardState } from './board/board-state.js';

/**
 * Models without a rank, grouped by reason. Two lists: models whose evaluation is not finished, and
 * models that lack a result.
 */
@Component({
  selector: 'app-unranked-models',
  imports: [Icon, RouterLink],
  template: `
    @for (list of lists(); track list.pending) {
      <details>
        <summary>
          <app-icon [name]="list.pending ? 'schedule' : 'warning'" />
          @if (list.pending) {
            <ng-container i18n>{{ numbers.count(list.count) }} still evaluating</ng-container>
          } @else {
            <ng-container i18n>{list.count, plural,
              =1 {1 unranked model}
              other {{{ numbers.count(list.count) }} unranked models}
            }</ng-container>
          }
        </summary>
        <dl>
          @for (group of list.groups; track group.reason) {
            <dt>
              {{ group.reason }}
              @if (group.datasets) {
                <small class="muted">{{ group.datasets }}</small>
              }
            </dt>
            <dd>
              <ul>
                @for (model of group.models; track model.id) {
                  <li>
                    <a [routerLink]="['/tasks', state.slug(), 'models', model.id]"
                      ><bdi>{{ model.name }}</bdi></a
                    >&ngsp;<small class="muted"
                      ><bdi>{{ model.owner }}</bdi></small
                    >
                    @if (model.datasets) {
                      <small class="muted"> · {{ model.datasets }}</small>
                    }
                  </li>
                }
              </ul>
            </dd>
          }
        </dl>
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

    dl {
      display: grid;
      gap: 4px;
      margin: 0;
      padding-inline-start: 24px;
    }

    dt {
      font-weight: 600;

      small {
        font-weight: 400;
      }
    }

    dd {
      margin: 0 0 8px;
    }

    ul {
      display: flex;
      flex-wrap: wrap;
      gap: 4px 20px;
      padding: 0;
      list-style: none;
    }

    li {
      min-width: 0;
      overflow-wrap: anywhere;
    }
  `,
})
export class UnrankedModels {
  protected readonly state = inject(BoardState);
  protected readonly numbers = inject(Numbers);

  protected readonly lists = computed(() => {
    const incomplete = this.state.board()?.incomplete ?? [];
    return [true, false]
      .map((pending) => incomplete.filter((each) => each.pending === pending))
      .map((models, place) => ({ pending: place === 0, count: models.length, groups: groupByReason(models) }))
      .filter(({ count }) => count > 0);
  });
}

type Incomplete = Leaderboard['incomplete'][number];

interface UnrankedModel {
  readonly id: string;
  readonly name: string;
  readonly owner: string;
  /** The datasets that the reason applies to. Empty if the whole group shares them. */
  readonly datasets: string;
}

/** Models that have no rank for the same reason. */
interface UnrankedGroup {
  readonly reason: string;
  /** The datasets that the reason applies to, if they are the same for all models. */
  readonly datasets: string;
  readonly models: readonly UnrankedModel[];
}

/** Groups unranked models by reason, largest group first. A model has a group for each reason. */
function groupByReason(incomplete: readonly Incomplete[]): readonly UnrankedGroup[] {
  const groups = Map.groupBy(
    incomplete.flatMap(({ model, missing }) => reasonsOf(missing).map((each) => ({ ...model, ...each }))),
    ({ reason }) => reason,
  );
  return Array.from(groups, ([reason, models]) => group(reason, models)).sort(
    (a, b) => b.models.length - a.models.length,
  );
}

function group(reason: string, models: readonly UnrankedModel[]): UnrankedGroup {
  const isShared = models.every(({ datasets }) => datasets === models[0]!.datasets);
  return {
    reason: reason.charAt(0).toUpperCase() + reason.slice(1),
    datasets: isShared ? models[0]!.datasets : '',
    models: isShared ? models.map((model) => ({ ...model, datasets: '' })) : models,
  };
}

/** The reasons of one model, each with all datasets that it applies to. */
function reasonsOf(missing: Incomplete['missing']): readonly { readonly reason: string; readonly datasets: string }[] {
  const reasons = Map.groupBy(missing, ({ why }) => why);
  return Array.from(reasons, ([reason, all]) => ({ reason, datasets: all.map(({ dataset }) => dataset).join(', ') }));
}
