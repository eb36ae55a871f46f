import { Component, computed, inject, input } from '@angular/core';
import { type History, historyHistoryResource } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { Chart, type ChartColours, Loaded, Numbers, When } from '../ui/index.js';
import { metricReading } from '../ui/metrics/metric-reading.js';
import { metricName } from '../ui/terms/terms.js';

interface Point {
  readonly benchmarkVersion: number;
  readonly publishedAt: string;
  readonly ranked: number;
  readonly rank: number;
  readonly dynascore: number;
  readonly performance: number;
  readonly changes: readonly string[];
}

/**
 * The rank of a model on each benchmark version, with the changes between versions and the reasons
 * for another score.
 */
@Component({
  selector: 'app-model-history',
  imports: [Chart, Loaded, When],
  templateUrl: './model-history.html',
})
export class ModelHistory {
  readonly slug = input.required<string>();
  /** The id of the model. */
  readonly model = input.required<string>();

  protected readonly numbers = inject(Numbers);
  protected readonly metricName = metricName;
  protected readonly read = historyHistoryResource(() => ({
    path: { slug: this.slug() },
    query: { models: this.model() },
  }));
  protected readonly points = computed(() => (this.read.hasValue() ? pointsOf(this.read.value()) : []));
  protected readonly chart = computed(() => (colours: ChartColours) => this.options(colours));

  protected performance(history: History, { performance }: Point): string {
    return this.numbers.value(metricReading(history.performance).unit, performance);
  }

  private options(colours: ChartColours): EChartsCoreOption {
    const points = this.points();
    const axis = { axisLabel: { color: colours.muted }, nameTextStyle: { color: colours.muted } };
    return {
      grid: { left: 8, right: 16, top: 32, bottom: 32, containLabel: true },
      tooltip: { trigger: 'axis', renderMode: 'richText' },
      xAxis: {
        type: 'category',
        data: points.map(({ benchmarkVersion }) => `v${benchmarkVersion}`),
        name: $localize`benchmark version`,
        nameLocation: 'middle',
        nameGap: 28,
        ...axis,
      },
      yAxis: {
        type: 'value',
        inverse: true,
        min: 1,
        max: Math.max(2, ...points.map(({ ranked }) => ranked)),
        minInterval: 1,
        name: $localize`rank`,
        splitLine: { lineStyle: { color: colours.line } },
        ...axis,
      },
      series: [
        {
          type: 'line',
          name: $localize`rank`,
          data: points.map(({ rank }) => rank),
          symbol: 'circle',
          symbolSize: 9,
          lineStyle: { color: colours.data[0], width: 2 },
          itemStyle: { color: colours.data[0] },
        },
      ],
    };
  }
}

function pointsOf({ models, versions }: History): readonly Point[] {
  return (models[0]?.points ?? []).flatMap((point) => {
    const version = versions.find(({ benchmarkVersion }) => benchmarkVersion === point.benchmarkVersion);
    if (!version) return [];
    const { publishedAt, ranked, changes } = version;
    const all = [...changes, ...(point.changes ?? [])];
    return [{ ...point, publishedAt, ranked, changes: all.map(({ text }) => text) }];
  });
}
