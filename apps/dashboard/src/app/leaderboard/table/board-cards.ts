import { Component, computed, inject, signal } from '@angular/core';
import { RouterLink } from '@angular/router';
import { CompareTray } from '../../compare/compare-tray.js';
import { OwnEvaluators } from '../../evaluators/own-evaluators.js';
import { Numbers } from '../../ui/index.js';
import { metricName, unitName } from '../../ui/terms/terms.js';
import { BoardState } from '../board/board-state.js';
import { compareLabel, ShownRows } from './shown-rows.js';

const PAGE = 50;

/** The leaderboard on a narrow screen: cards with rank, model and score, 50 at a time. */
@Component({
  selector: 'app-board-cards',
  imports: [OwnEvaluators, RouterLink],
  templateUrl: './board-cards.html',
  styleUrl: './board-cards.scss',
})
export class BoardCards {
  protected readonly state = inject(BoardState);
  protected readonly tray = inject(CompareTray);
  protected readonly compareLabel = compareLabel;
  protected readonly numbers = inject(Numbers);
  private readonly written = inject(ShownRows);

  private readonly limit = signal(PAGE);
  protected readonly rows = computed(() =>
    Array.from({ length: Math.min(this.limit(), this.state.rowModels().length) }, (_, index) =>
      this.written.row(index),
    ),
  );
  protected readonly rest = computed(() => this.state.rowModels().length - this.rows().length);
  /** The first column with a figure. By default this is the performance metric. */
  protected readonly performance = computed(() => this.state.columns().find(({ type }) => type !== 'fact'));

  /** The metric, the dataset and the unit of that column. */
  protected readonly performanceName = computed(() => {
    const column = this.performance();
    if (!column || column.type === 'fact') return undefined;
    const dataset = column.type === 'cell' ? column.dataset : '';
    return [metricName(column.metric.name), dataset, unitName(column.metric.unit)].filter((part) => part).join(', ');
  });

  protected more(): void {
    this.limit.update((limit) => limit + PAGE);
  }
}
