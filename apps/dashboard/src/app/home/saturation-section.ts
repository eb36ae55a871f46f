import { Component, computed, inject, input, resource } from '@angular/core';
import { RouterLink } from '@angular/router';
import type { EChartsCoreOption } from 'echarts/core';
import { collectionnumbersSaturation } from '../../client/sdk.gen.js';
import { Chart, type ChartColours } from '../ui/chart.js';
import { Empty } from '../ui/empty.js';
import { Loaded } from '../ui/loaded.js';
import { Numbers } from '../ui/numbers.js';
import { Term } from '../ui/term.js';
import { metricReading } from '../ui/metric-reading.js';
import { saturationOptions } from './saturation-chart.js';
import { saturationLine, saturationNow, type TaskSaturation, whyNoSaturation } from './saturation-lines.js';

/** How near the models of all tasks came to people over time: a line each, and the same as a table. */
@Component({
  selector: 'app-saturation-section',
  imports: [Chart, Empty, Loaded, RouterLink, Term],
  templateUrl: './saturation-section.html',
})
export class SaturationSection {
  readonly tasks = input.required<readonly { readonly task: string; readonly name: string }[]>();

  protected readonly numbers = inject(Numbers);
  protected readonly whyNoSaturation = whyNoSaturation;
  protected readonly saturationNow = saturationNow;
  protected readonly saturations = resource({
    params: () => this.tasks(),
    loader: ({ params }) => Promise.all(params.map(saturationOf)),
  });
  private readonly lines = computed(() => {
    const now = Date.now();
    const all = this.saturations.hasValue() ? this.saturations.value() : [];
    return all.map(({ name, overall }) => ({ name, points: saturationLine(overall, now) }));
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

async function saturationOf(of: { readonly task: string; readonly name: string }): Promise<TaskSaturation> {
  const { data } = await collectionnumbersSaturation({ path: { slug: of.task }, throwOnError: true });
  return { ...of, performance: data.performance, overall: data.overall };
}
