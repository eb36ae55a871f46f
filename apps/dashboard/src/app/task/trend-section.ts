import { Component, computed, inject, input } from '@angular/core';
import { RouterLink } from '@angular/router';
import { collectionnumbersTrendResource } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { Chart, CHART_SYMBOLS, type ChartColours, Empty, Estimate, Loaded, Numbers } from '../ui/index.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { Term } from '../ui/terms/term.js';
import { trendLines, trendOptions } from './trend-chart.js';

/** The leading models of each round over time, as a chart and as a table. */
@Component({
  selector: 'app-trend-section',
  imports: [Chart, Empty, Estimate, Loaded, RouterLink, Term],
  templateUrl: './trend-section.html',
})
export class TrendSection {
  readonly slug = input.required<string>();

  private readonly numbers = inject(Numbers);
  protected readonly trend = collectionnumbersTrendResource(() => ({
    path: { slug: this.slug() },
    query: { models: 5 },
  }));
  protected readonly unit = computed(() =>
    this.trend.hasValue() ? metricReading(this.trend.value().performance).unit : 'ratio',
  );
  protected readonly lines = computed(() =>
    this.trend.hasValue() ? trendLines(this.trend.value(), CHART_SYMBOLS.length) : [],
  );
  protected readonly options = computed(() => {
    const [trend, lines, scale] = [this.trend.value()!, this.lines(), this.unit() === 'ratio' ? 100 : 1];
    const shown = (value: number): string => this.numbers.value(this.unit(), value / scale);
    return (colours: ChartColours): EChartsCoreOption => trendOptions({ trend, lines, shown, scale }, colours);
  });
}
