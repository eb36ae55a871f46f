import { Component, computed, inject } from '@angular/core';
import { MatButton } from '@angular/material/button';
import { MatDialog } from '@angular/material/dialog';
import { MatMenu, MatMenuItem, MatMenuTrigger } from '@angular/material/menu';
import {
  type ForkSummary,
  historyBenchmarkVersionsResource,
  savedboardsForksResource,
  savedboardsSnapshotsResource,
} from '@assay/api-client/angular';
import { firstValueFrom } from 'rxjs';
import { Session } from '../session/session.js';
import { Icon, When } from '../ui/index.js';
import { PLAIN_QUERY } from './board/board-query.js';
import { BoardState } from './board/board-state.js';
import type { Column } from './board/board-columns.js';
import { columnName, columnUnit } from './board/column-words.js';
import { type ShownCell, ShownRows } from './table/shown-rows.js';

/** The number of forks and snapshots that a menu lists. Others are reachable by name. */
const MOST = { limit: 200 } as const;

/**
 * The menus of the board: earlier versions, forks (saved weights), snapshots (frozen boards), and a
 * download of the table.
 */
@Component({
  selector: 'app-board-menu',
  imports: [Icon, MatButton, MatMenu, MatMenuItem, MatMenuTrigger, When],
  templateUrl: './board-menu.html',
  styles: `
    :host {
      display: contents;
    }

    app-icon {
      margin-inline-end: 6px;
      vertical-align: -4px;
    }

    .note {
      padding: 4px 16px;
      color: var(--muted);
      font-size: var(--size-1);
    }
  `,
})
export class BoardMenu {
  protected readonly state = inject(BoardState);
  protected readonly session = inject(Session);
  private readonly rows = inject(ShownRows);
  private readonly dialog = inject(MatDialog);

  private readonly of = () => (this.state.slug() ? { path: { slug: this.state.slug() } } : undefined);
  private readonly versionList = historyBenchmarkVersionsResource(this.of);
  private readonly saved = () => (this.state.slug() ? { path: { slug: this.state.slug() }, query: MOST } : undefined);
  private readonly forkList = savedboardsForksResource(this.saved);
  private readonly snapshotList = savedboardsSnapshotsResource(this.saved);
  protected readonly versions = computed(() => (this.versionList.hasValue() ? this.versionList.value().items : []));
  protected readonly forks = computed(() => (this.forkList.hasValue() ? this.forkList.value().items : []));
  protected readonly snapshots = computed(() => (this.snapshotList.hasValue() ? this.snapshotList.value().items : []));

  /** Applies the saved weights of a fork. */
  protected useFork({ weighing }: ForkSummary): void {
    const { weights, datasets, amrs, ownRounds } = weighing;
    const exposure = PLAIN_QUERY.exposure;
    this.state.step({ weights, datasets, amrs: amrs ?? 'official', ownRounds: ownRounds ?? null, exposure });
  }

  protected async keep(kind: 'fork' | 'snapshot'): Promise<void> {
    const { SaveBoardDialog } = await import('./save-board-dialog.js');
    const data = { kind, slug: this.state.slug(), query: this.state.query() };
    const dialog = this.dialog.open(SaveBoardDialog, { data, width: '440px' });
    if (await firstValueFrom(dialog.afterClosed())) (kind === 'fork' ? this.forkList : this.snapshotList).reload();
  }

  /**
   * Downloads the shown rows and columns in their order as CSV. Figures have full precision, and a
   * column with their marks follows each column of figures.
   */
  protected async download(): Promise<void> {
    const columns = this.state.columns();
    const header = columns.flatMap((column) => {
      const title = [columnName(column), columnUnit(column)].filter((part) => part).join(', ');
      return column.type === 'fact' ? [title] : [title, $localize`${columnName(column)}:column:, marks`];
    });
    const rows = Array.from(this.state.rowModels().keys(), (index) => {
      const { rank, name, owner, score, cells } = this.rows.row(index);
      return [rank ?? '', name, owner, score, ...cells.flatMap((cell, place) => fieldsOf(cell, columns[place]!))];
    });
    const text = await tableAsCsv([['rank', 'model', 'owner', 'score', ...header], ...rows]);
    const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
    const link = Object.assign(document.createElement('a'), { href: url, download: `${this.state.slug()}.csv` });
    link.click();
    URL.revokeObjectURL(url);
  }
}

function fieldsOf({ figure, text }: ShownCell, { type }: Column): (string | number)[] {
  const value = figure?.value ?? text;
  return type === 'fact' ? [value] : [value, figure?.marks.join(' ') ?? ''];
}

/**
 * The characters that start a formula in some spreadsheet, including full-width forms. The CSV of
 * the API escapes the same ones.
 */
const FORMULA = /^[=+\-@\t\r\0\uFF1D\uFF0B\uFF0D\uFF20]/;

/**
 * Formats a table as CSV in which no text can run as a formula.
 * @param rows the header first
 */
export async function tableAsCsv(rows: readonly (readonly (string | number)[])[]): Promise<string> {
  const { default: Papa } = await import('papaparse');
  const cells = rows.map((row) => [...row]);
  return Papa.unparse(cells, { escapeFormulae: FORMULA, newline: '\n' });
}
