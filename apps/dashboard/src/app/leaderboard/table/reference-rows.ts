import { Component, computed, inject } from '@angular/core';
import { Numbers, Whisker } from '../../ui/index.js';
import { Term } from '../../ui/terms/term.js';
import type { Column } from '../board/board-columns.js';
import { BoardState } from '../board/board-state.js';
import { type Reference, referenceFigure } from '../board/board-figures.js';

/** The reference rows below the ranked models: majority label, random labels, human performance. */
@Component({
  selector: 'app-reference-rows',
  imports: [Term, Whisker],
  template: `
    @for (row of rows(); track row.name) {
      <div class="line" role="row">
        <span class="stuck name" role="rowheader"
          ><app-term [name]="row.name" />&nbsp;<small i18n>reference, no rank</small></span
        >
        <span class="skipped" role="cell" [style.grid-column-end]="state.isCustom() ? 'span 2' : 'span 1'"></span>
        @for (cell of row.cells; track cell.id) {
          <span role="cell" class="number">
            @if (cell.estimate; as estimate) {
              <span class="value"
                >{{ cell.text }}
                @if (cell.margin) {
                  <span class="margin">± {{ cell.margin }}</span>
                }
              </span>
              <app-whisker [of]="estimate" [scale]="cell.scale" />
            }
          </span>
        }
        <span role="cell"></span>
      </div>
    }
  `,
  styleUrl: './reference-rows.scss',
})
export class ReferenceRows {
  protected readonly state = inject(BoardState);
  private readonly numbers = inject(Numbers);

  protected readonly rows = computed(() =>
    this.state.references().map((reference) => ({
      name: reference.name,
      cells: this.state.columns().map((column) => this.cell(reference, column)),
    })),
  );

  private cell(reference: Reference, column: Column) {
    const estimate = column.type === 'fact' ? undefined : referenceFigure(reference, column);
    if (!estimate || column.type === 'fact') return { id: column.id, estimate: undefined } as const;
    const { unit } = column.metric;
    return {
      ...{ id: column.id, estimate, scale: this.state.scales().get(column.id)! },
      text: this.numbers.value(unit, estimate.value),
      margin: this.numbers.margin(unit, estimate),
    };
  }
}
