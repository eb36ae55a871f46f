import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { Overview } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { Chart, type ChartColours, Empty, Numbers } from '../ui/index.js';
import { Term } from '../ui/terms/term.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import {
  NO_SATURATION,
  saturationLine,
  saturationNow,
  saturationOptions,
  taskSaturation,
  type TaskSaturation,
} from './saturation-chart.js';

/** The saturation of tasks over time, as a chart and as a table. */
@Component({
  selector: 'app-saturation-section',
  imports: [Chart, Empty, RouterLink, Term],
  templateUrl: './saturation-section.html',
})
export class SaturationSection {
  readonly tasks = input.required<Overview['items']>();

  protected readonly numbers = inject(Numbers);
  protected readonly noSaturation = NO_SATURATION;
  protected readonly saturationNow = saturationNow;
  /** Tasks that have a board. The others have no line and no row. */
  protected readonly saturations = computed(() => this.tasks().flatMap(taskSaturation));
  private readonly lines = computed(() => {
    const now = Date.now();
    return this.saturations().map(({ name, overall }) => ({ name, points: saturationLine(overall, now) }));
  });
  protected readonly hasLines = computed(() => this.lines().some(({ points }) => points.length > 0));
  protected readonly options = computed(() => {
    const lines = this.lines().filter(({ points }) => points.length > 0);
    return (colours: ChartColours): EChartsCoreOption => saturationOptions(lines, colours);
  });

  protected shown(task: TaskSaturation, value: number | null | undefined): string {
    return value == null ? '·' : this.numbers.value(metricReading(task.performance).unit, value);
  }
}
