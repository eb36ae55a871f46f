import { Component, computed, inject } from '@angular/core';
import { paretoFront } from '@assay/scoring/board';
import { Chart, type ChartColours, Numbers } from '../../ui/index.js';
import type { FigureColumn } from '../board/board-columns.js';
import type { Figure } from '../board/board-figures.js';
import { BoardState } from '../board/board-state.js';
import { type ChartPoint, type ScatterAxis, scatterOptions } from './chart-options.js';
import { columnName, columnTitle } from '../board/column-words.js';
import type { BoardView } from '../board/board-ranks.js';

/** The number of top-ranked models that are drawn, in addition to the Pareto front. */
const MOST_DRAWN = 300;

/** A scatter plot of two metrics with the Pareto front, and the same data as a table. */
@Component({
  selector: 'app-scatter-panel',
  imports: [Chart],
  templateUrl: './scatter-panel.html',
  styleUrl: './chart-panel.scss',
})
export class ScatterPanel {
  protected readonly state = inject(BoardState);
  private readonly numbers = inject(Numbers);
  protected readonly columnName = columnName;

  protected readonly metrics = this.state.metricColumns;
  protected readonly y = computed(() => this.named(this.state.settled().query.y) ?? this.performance());
  protected readonly x = computed(() => this.named(this.state.settled().query.x) ?? this.firstCost());
  private readonly points = computed(() => {
    const [view, ranks, x, y] = [this.state.settled().view, this.state.settled().ranks, this.x(), this.y()];
    if (!view || !ranks || !x || !y) return [];
    const models = Array.from(this.state.settled().shown, (place) => ranks.ranking.order[place]!);
    return scatterPoints(view, x, y, models);
  });
  protected readonly drawnMost = MOST_DRAWN;
  /**
   * The Pareto front and the top ranks: all points of a large board would be slow and unreadable.
   */
  private readonly drawn = computed(() => {
    const ranks = this.state.settled().ranks?.ranks;
    return this.points().filter(({ model, isFront }) => isFront || ranks![model]! <= MOST_DRAWN);
  });
  protected readonly isCut = computed(() => this.drawn().length < this.points().length);
  protected readonly othersCount = computed(() => this.points().filter(({ isFront }) => !isFront).length);
  protected readonly rows = computed(() =>
    this.drawn().map(({ model, x, y, isFront }) => ({
      id: this.state.file()!.matrix.ids[model]!,
      name: this.state.file()!.names[model]!,
      x: this.words(this.x()!, x),
      y: this.words(this.y()!, y),
      isFront,
    })),
  );
  protected readonly front = computed(() => this.rows().filter(({ isFront }) => isFront));
  protected readonly options = computed(() => {
    const [x, y] = [this.x()!, this.y()!];
    const axes = { x: this.axis(x), y: this.axis(y) };
    const points = this.drawn().map((point): ChartPoint => ({
      name: this.state.file()!.names[point.model]!,
      x: scaled(x, point.x),
      y: scaled(y, point.y),
      isFront: point.isFront,
      words: `${columnName(x)} ${this.words(x, point.x)}\n${columnName(y)} ${this.words(y, point.y)}`,
    }));
    return (colours: ChartColours, width: number) => scatterOptions(axes, points, colours, width);
  });

  protected choose(axis: 'x' | 'y', event: Event): void {
    this.state.step({ [axis]: (event.target as HTMLSelectElement).value });
  }

  protected axis(column: FigureColumn): ScatterAxis {
    const isHigherBetter = column.metric.direction === 'higher';
    return {
      name: `${columnTitle(column)} ${isHigherBetter ? $localize`↑ better` : $localize`↓ better`}`,
      isHigherBetter,
    };
  }

  private named(id: string | null): FigureColumn | undefined {
    return this.metrics().find((column) => column.id === id);
  }

  private performance(): FigureColumn | undefined {
    const performance = this.state.file()?.matrix.performance;
    return this.metrics().find(({ metric }) => metric.name === performance);
  }

  private firstCost(): FigureColumn | undefined {
    const costs = this.metrics().filter(({ metric }) => !metric.isScore);
    const performance = this.performance()?.id;
    return costs[0] ?? this.metrics().find(({ id }) => id !== performance) ?? this.metrics()[0];
  }

  private words({ metric }: FigureColumn, figure: Figure): string {
    return this.numbers.withMargin(metric.unit, figure);
  }
}

/** Converts a figure to the unit of its axis: ratios become percent, CPU seconds milliseconds. */
function scaled({ metric }: FigureColumn, { value, low, high }: Figure): readonly [number, number, number] {
  const size = { ratio: 100, 's/example': 1000 }[metric.unit as string] ?? 1;
  return [value * size, (low ?? value) * size, (high ?? value) * size];
}

/**
 * Returns the points of those `models` (indices in the matrix file) that have both figures, from
 * left to right. `isFront`: on the Pareto front of the whole board, which means that no other model
 * is at least as good on both metrics and better on one.
 */
function scatterPoints({ rankable, figures }: BoardView, x: FigureColumn, y: FigureColumn, models: readonly number[]) {
  const front = new Set(x.id === y.id ? [] : paretoFront(rankable.board, [x.metric.name, y.metric.name]));
  return models
    .flatMap((model) => {
      const [left, right] = [figures.figure(x, model), figures.figure(y, model)];
      return left && right ? [{ model, x: left, y: right, isFront: front.has(model) }] : [];
    })
    .sort((a, b) => a.x.value - b.x.value);
}
