import { Component, computed, inject, input } from '@angular/core';
import type { CalibrationResult } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { Chart, type ChartColours, Estimate, Numbers } from '../ui/index.js';
import { MetricHeading } from '../ui/metrics/metric-heading.js';

/** The reliability diagram: accuracy against confidence, by confidence bin. */
@Component({
  selector: 'app-calibration-panel',
  imports: [Chart, Estimate, MetricHeading],
  templateUrl: './calibration-panel.html',
  styleUrl: './figures-table.scss',
})
export class CalibrationPanel {
  readonly calibration = input.required<CalibrationResult>();

  protected readonly numbers = inject(Numbers);
  protected readonly bins = computed(() => this.calibration().bins.filter(({ n }) => n > 0));
  protected readonly sentence = computed(() => {
    const { bins, n } = this.calibration();
    const sum = (key: 'confidence' | 'accuracy') => bins.reduce((all, bin) => all + bin.n * (bin[key] ?? 0), 0) / n;
    const [claims, right] = [sum('confidence'), sum('accuracy')];
    const [said, is] = [this.numbers.percent(claims), this.numbers.percent(right)];
    if (claims > right)
      return $localize`On average it claims ${said}:claims:% and is right in ${is}:right:%: it is too sure of itself.`;
    return $localize`On average it claims ${said}:claims:% and is right in ${is}:right:%: it is not surer than it may be.`;
  });
  protected readonly chart = computed(() => (colours: ChartColours) => this.options(colours));

  private options(colours: ChartColours): EChartsCoreOption {
    const axis = {
      type: 'value',
      min: 0,
      max: 100,
      axisLabel: { color: colours.muted },
      nameTextStyle: { color: colours.muted },
      splitLine: { lineStyle: { color: colours.line } },
    };
    const most = Math.max(...this.bins().map(({ n }) => n));
    return {
      grid: { left: 8, right: 16, top: 56, bottom: 32, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: colours.text } },
      xAxis: { ...axis, name: $localize`claimed, %`, nameLocation: 'middle', nameGap: 28 },
      yAxis: { ...axis, name: $localize`right, %`, nameTextStyle: { color: colours.muted, align: 'left' } },
      series: [
        {
          type: 'line',
          name: $localize`as much as claimed`,
          symbol: 'none',
          data: [
            [0, 0],
            [100, 100],
          ],
          lineStyle: { color: colours.muted, type: 'dashed', width: 1 },
          itemStyle: { color: colours.muted },
        },
        {
          type: 'line',
          name: $localize`this model, larger dots have more examples`,
          symbol: 'circle',
          symbolSize: (_: unknown, { dataIndex }: { readonly dataIndex: number }) =>
            6 + 14 * Math.sqrt(this.bins()[dataIndex]!.n / most),
          data: this.bins().map(({ confidence, accuracy }) => [(confidence ?? 0) * 100, (accuracy ?? 0) * 100]),
          lineStyle: { color: colours.data[0], width: 2 },
          itemStyle: { color: colours.data[0] },
        },
      ],
    };
  }
}
