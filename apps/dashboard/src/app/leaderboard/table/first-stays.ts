import { Component, computed, inject } from '@angular/core';
import { RouterLink } from '@angular/router';
import { Numbers } from '../../ui/index.js';
import { BoardState } from '../board/board-state.js';

/**
 * How often the first model stays first under random weights near the task's own. The API reports
 * it only for the task's own weights.
 */
@Component({
  selector: 'app-first-stays',
  imports: [RouterLink],
  template: `
    @if (stability(); as stability) {
      <p>
        <ng-container i18n
          >The first stays first in {{ numbers.percent(stability.stays) }}% of
          {{ numbers.count(stability.draws) }} draws of weights near these.</ng-container
        >
        @for (other of stability.others; track other.id; let isFirst = $first) {
          @if (isFirst) {
            {{ ' ' }}<ng-container i18n>Otherwise it is </ng-container>
          }
          <a [routerLink]="['/tasks', state.slug(), 'models', other.id]">{{ other.name }}</a> ({{
            numbers.percent(other.share)
          }}%){{ $last ? '.' : ', ' }}
        }
      </p>
    }
  `,
  // a name may have no place to break
  styles: `
    p {
      overflow-wrap: anywhere;
    }
  `,
})
export class FirstStays {
  protected readonly state = inject(BoardState);
  protected readonly numbers = inject(Numbers);

  protected readonly stability = computed(() => {
    const [stability, file] = [this.state.board()?.stability, this.state.file()];
    if (!stability || stability.stays === null || !file || this.state.isUpdating()) return undefined;
    if (this.state.standings().size < 2) return undefined;
    const { first, stays, draws, firsts } = stability;
    const others = firsts
      .filter(({ id, share }) => id !== first && share >= 0.005)
      .slice(0, 3)
      .map(({ id, share }) => ({ id, share, name: file.names[file.matrix.ids.indexOf(id)] ?? $localize`another` }));
    return { stays, draws, others };
  });
}
