import { Component, computed, inject, signal } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { Icon, Numbers } from '../ui/index.js';
import type { Column } from './board/board-columns.js';
import { filterCount, NO_FILTERS } from './board/board-query.js';
import { BoardState } from './board/board-state.js';
import { columnName, kindName } from './board/column-words.js';

/** Columns of one dataset, or those that are not of a single dataset. */
interface ColumnGroup {
  /** The name of the dataset. Null: means over all datasets, and facts. */
  readonly dataset: string | null;
  readonly columns: readonly Column[];
}

/** The number of models that the list for comparing offers. Others can be named in the address. */
const COMPARABLE = 200;

const KINDS = ['container', 'onnx', 'predictions'] as const;

/** The search, the filters and the choice of columns of the board. */
@Component({
  selector: 'app-board-toolbar',
  imports: [Icon, MatButton],
  templateUrl: './board-toolbar.html',
  styleUrl: './board-toolbar.scss',
})
export class BoardToolbar {
  protected readonly state = inject(BoardState);
  protected readonly numbers = inject(Numbers);
  protected readonly columnName = columnName;
  protected readonly noFilters = NO_FILTERS;
  protected readonly kinds = KINDS.map((kind) => ({ kind, name: kindName(kind) }));

  /** The panel that is open below the toolbar. */
  protected readonly open = signal<'filters' | 'columns' | null>(null);
  protected readonly filterCount = computed(() => filterCount(this.state.query()));
  protected readonly owners = computed(() => [...new Set(this.state.file()?.owners ?? [])].sort());
  protected readonly groups = computed<readonly ColumnGroup[]>(() => {
    const groups = Map.groupBy(this.state.allColumns(), (column) => (column.type === 'cell' ? column.dataset : null));
    return Array.from(groups, ([dataset, columns]) => ({ dataset, columns }));
  });
  /** The first models by rank, with which the rows can be compared. */
  protected readonly comparable = computed(() => {
    const [file, ranks] = [this.state.file(), this.state.official()];
    if (!file || !ranks) return [];
    const first = ranks.ranking.order.subarray(0, COMPARABLE);
    return Array.from(first, (model) => ({ id: file.matrix.ids[model]!, name: file.names[model]! }));
  });
  private readonly shownIds = computed(() => new Set(this.state.columns().map(({ id }) => id)));

  protected toggle(what: 'filters' | 'columns'): void {
    this.open.update((open) => (open === what ? null : what));
  }

  protected search(event: Event): void {
    this.state.change({ search: (event.target as HTMLInputElement).value.slice(0, 100) });
  }

  protected filter(key: 'owner' | 'kind' | 'loop' | 'since' | 'until', value: string): void {
    this.state.change({ [key]: value || null });
  }

  protected filterSize(key: 'sizeFrom' | 'sizeTo', value: number): void {
    this.state.change({ [key]: value >= 0 ? value : null });
  }

  protected isShown(column: Column): boolean {
    return this.shownIds().has(column.id);
  }

  /** Shows or hides a column. Columns stay in the order of the list, not of selection. */
  protected toggleColumn({ id }: Column): void {
    const shown = this.shownIds();
    const all = this.state.allColumns().filter((column) => (column.id === id ? !shown.has(id) : shown.has(column.id)));
    this.state.change({ columns: all.map((column) => column.id) });
  }
}
