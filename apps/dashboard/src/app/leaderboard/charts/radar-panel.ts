import { Component, computed, inject } from '@angular/core';
import { Chart, type ChartColours, Numbers } from '../../ui/index.js';
import { BoardState } from '../board/board-state.js';
import type { FigureColumn } from '../board/board-columns.js';
import { radarOptions, type RadarShape } from './chart-options.js';
import { columnName, columnTitle } from '../board/column-words.js';

/**
 * A radar chart of up to four models on up to eight metrics, and the same data as a table. The URL
 * stores the choice of models and metrics.
 */
@Component({
  selector: 'app-radar-panel',
  imports: [Chart],
  templateUrl: './radar-panel.html',
  styleUrl: './chart-panel.scss',
})
export class RadarPanel {
  protected readonly state = inject(BoardState);
  private readonly numbers = inject(Numbers);
  protected readonly mostAxes = MOST_AXES;
  protected readonly mostShapes = MOST_SHAPES;
  protected readonly columnName = columnName;

  protected readonly metrics = this.state.metricColumns;
  protected readonly axes = computed(() =>
    radarAxes(this.metrics(), this.state.settled().query.axes, this.state.settled().ranks?.shares ?? {}),
  );
  /** The drawn models as indices in the matrix file: the chosen ones, otherwise the first three. */
  protected readonly models = computed<readonly number[]>(() => {
    const [file, ranks] = [this.state.file(), this.state.settled().ranks];
    if (!file || !ranks) return [];
    const chosen = this.state
      .settled()
      .query.models?.map((id) => file.matrix.ids.indexOf(id))
      .filter((place) => place >= 0);
    return (chosen ?? Array.from(ranks.ranking.order.slice(0, 3))).slice(0, MOST_SHAPES);
  });
  /** The models that can be chosen: the first fifty, and those that are drawn. */
  protected readonly choices = computed(() => {
    const [file, ranks] = [this.state.file(), this.state.settled().ranks];
    if (!file || !ranks) return [];
    const places = new Set([...this.models(), ...ranks.ranking.order.slice(0, 50)]);
    return Array.from(places, (place) => ({ place, id: file.matrix.ids[place]!, name: file.names[place]! }));
  });
  /** The lowest and the highest value of each axis over all ranked models. */
  private readonly extents = computed(() => {
    const [view, ranks] = [this.state.settled().view!, this.state.settled().ranks!];
    return new Map(
      this.axes().map((axis) => [axis.id, extent(ranks.ranking.order, (each) => view.figures.value(axis, each))]),
    );
  });
  protected readonly shapes = computed<readonly RadarShape[]>(() =>
    this.models().map((model) => ({
      name: this.state.file()!.names[model]!,
      places: this.axes().map((axis) => this.place(axis, model)),
      words: this.axes().map((axis) => this.words(axis, model)),
    })),
  );
  protected readonly options = computed(() => {
    const [axes, shapes] = [this.axes().map((axis) => this.axisName(axis)), this.shapes()];
    return (colours: ChartColours, width: number) => radarOptions(axes, shapes, colours, width);
  });

  protected axisName(axis: FigureColumn): string {
    return `${columnTitle(axis)} ${axis.metric.direction === 'higher' ? '↑' : '↓'}`;
  }

  protected toggleAxis({ id }: FigureColumn): void {
    this.state.step({
      axes: toggled(
        this.axes().map((axis) => axis.id),
        id,
      ),
    });
  }

  protected toggleModel(id: string): void {
    const { ids } = this.state.file()!.matrix;
    this.state.step({
      models: toggled(
        this.models().map((model) => ids[model]!),
        id,
      ),
    });
  }

  protected isDrawn(place: number): boolean {
    return this.models().includes(place);
  }

  protected isAxis(column: FigureColumn): boolean {
    return this.axes().includes(column);
  }

  private place(axis: FigureColumn, model: number): number | null {
    const { figures } = this.state.settled().view!;
    const value = figures.value(axis, model);
    return Number.isNaN(value) ? null : radarPlace(axis, value, this.extents().get(axis.id)!);
  }

  private words(axis: FigureColumn, model: number): string {
    const figure = this.state.settled().view!.figures.figure(axis, model);
    return figure ? this.numbers.withMargin(axis.metric.unit, figure) : $localize`not measured`;
  }
}

const toggled = (list: readonly string[], id: string): readonly string[] =>
  list.includes(id) ? list.filter((each) => each !== id) : [...list, id];

function extent(models: Int32Array, valueOf: (model: number) => number): readonly [number, number] {
  let [lowest, highest] = [Infinity, -Infinity];
  for (const model of models) {
    const value = valueOf(model);
    if (value < lowest) lowest = value;
    if (value > highest) highest = value;
  }
  return [lowest, highest];
}

const MOST_AXES = 8;
const MOST_SHAPES = 4;

/**
 * Returns the position of a model on an axis of the radar chart: 0 (centre) for the worst ranked
 * model, 1 (edge) for the best. 1 if all have the same value.
 */
export function radarPlace({ metric }: FigureColumn, value: number, [worst, best]: readonly [number, number]): number {
  if (!(best > worst)) return 1;
  const share = Math.min(1, Math.max(0, (value - worst) / (best - worst)));
  return metric.direction === 'higher' ? share : 1 - share;
}

/**
 * Returns the chosen axes that exist. Without a choice, the metrics with a weight, heaviest first,
 * filled up to five with other scores. At most `MOST_AXES`.
 */
export function radarAxes(
  columns: readonly FigureColumn[],
  chosen: readonly string[] | null,
  shares: Readonly<Record<string, number>>,
): readonly FigureColumn[] {
  const metrics = columns.filter(({ type }) => type === 'metric');
  if (chosen) return metrics.filter(({ id }) => chosen.includes(id)).slice(0, MOST_AXES);
  const share = ({ id }: FigureColumn): number => shares[id] ?? 0;
  const weighed = metrics.filter((column) => share(column) > 0).sort((a, b) => share(b) - share(a));
  // two axes would be a line, so metrics without a weight fill up the chart
  const others = metrics.filter((column) => share(column) === 0 && column.metric.isScore);
  return [...weighed, ...others].slice(0, Math.max(Math.min(weighed.length, MOST_AXES), 5));
}
