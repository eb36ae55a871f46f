import { Component, computed, inject, input } from '@angular/core';
import type { Evaluation } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { Chart, type ChartColours, Numbers } from '../ui/index.js';
import { MetricHeading } from '../ui/metrics/metric-heading.js';

const PERCENTILES = ['latency_p50', 'latency_p90', 'latency_p95', 'latency_p99'] as const;

/**
 * The costs of a model: CPU time, throughput and memory by dataset, and its latencies compared with the null
 * model.
 */
@Component({
  selector: 'app-model-costs',
  imports: [Chart, MetricHeading],
  templateUrl: './model-costs.html',
  styleUrl: './figures-table.scss',
})
export class ModelCosts {
  readonly evaluations = input.required<readonly Evaluation[]>();
  /** True if a measurement of the costs is queued or running. */
  readonly awaitsMeasurement = input<boolean>();

  protected readonly numbers = inject(Numbers);
  protected readonly percentiles = PERCENTILES;
  /** One row per dataset. Perturbed versions have none: they are answered in the same run. */
  protected readonly rows = computed(() =>
    this.evaluations().filter(({ perturbation, measures }) => perturbation === undefined && measures.hardware),
  );
  protected readonly isContended = computed(() => this.rows().some(({ measures }) => measures.contended));
  protected readonly isProvisional = computed(
    () => this.awaitsMeasurement() && this.rows().some(({ measures }) => measures.provisional),
  );
  protected readonly isShort = computed(() => this.rows().some(({ measures }) => measures.short));
  protected readonly repeats = computed(() => Math.max(1, ...this.rows().map(({ measures }) => measures.repeats ?? 1)));
  /**
   * The costs of the newest run that timed requests. A run times them once for all of its datasets.
   */
  protected readonly timed = computed<Evaluation['measures'] | undefined>(
    () => this.rows().findLast(({ measures }) => measures.latency_p50 != null)?.measures,
  );
  protected readonly isBelowFloor = computed(() => {
    const { latency_p50, floor } = this.timed() ?? {};
    return typeof latency_p50 === 'number' && latency_p50 < (floor?.latency_p50 ?? 0);
  });
  protected readonly bins = computed(() => {
    const timed = this.timed();
    return sharedBins(timed?.latency_bins ?? [], timed?.floor?.bins ?? []);
  });
  protected readonly chart = computed(() => (colours: ChartColours) => this.options(this.bins(), colours));

  protected cost(value: number | null | undefined, unit = 'ms'): string {
    return value == null ? '·' : this.numbers.value(unit, value);
  }

  private options(bins: readonly SharedBin[], colours: ChartColours): EChartsCoreOption {
    const axis = { axisLine: { lineStyle: { color: colours.line } }, axisLabel: { color: colours.muted } };
    const percent = (values: readonly number[]) => values.map((value) => Number((value * 100).toFixed(2)));
    return {
      grid: { left: 8, right: 8, top: 56, bottom: 32, containLabel: true },
      legend: { top: 0, left: 0, textStyle: { color: colours.text } },
      tooltip: {
        trigger: 'axis',
        renderMode: 'richText',
        valueFormatter: (value: number) => `${this.numbers.threeDigits(value)} %`,
      },
      xAxis: {
        type: 'category',
        data: bins.map(({ low }) => this.numbers.threeDigits(low)),
        name: $localize`milliseconds, each bin a fifth longer`,
        nameLocation: 'middle',
        nameGap: 28,
        nameTextStyle: { color: colours.muted },
        ...axis,
      },
      yAxis: {
        type: 'value',
        name: $localize`% of requests`,
        nameTextStyle: { color: colours.muted, align: 'left' },
        splitLine: { lineStyle: { color: colours.line } },
        ...axis,
      },
      series: [
        {
          type: 'bar',
          name: $localize`this model`,
          data: percent(bins.map(({ model }) => model)),
          barCategoryGap: '10%',
          itemStyle: { color: colours.data[0] },
        },
        {
          type: 'line',
          step: 'middle',
          symbol: 'none',
          name: $localize`a model that does nothing`,
          data: percent(bins.map(({ floor }) => floor)),
          lineStyle: { color: colours.data[1], type: 'dashed', width: 2 },
          itemStyle: { color: colours.data[1] },
        },
      ],
    };
  }
}

/** A latency bin with its number of requests `n`. Bounds in milliseconds. */
type LatencyBin = NonNullable<Evaluation['measures']['latency_bins']>[number];

/**
 * A bin with the model's and the null model's share of requests in it, from 0 to 1. Bounds in
 * milliseconds.
 */
interface SharedBin {
  readonly low: number;
  readonly high: number;
  readonly model: number;
  readonly floor: number;
}

/**
 * Aligns two latency distributions on common bins without gaps. All bins of the API have the same
 * edges and the same width on a logarithmic scale.
 */
export function sharedBins(model: readonly LatencyBin[], floor: readonly LatencyBin[]): readonly SharedBin[] {
  const all = [...model, ...floor];
  if (all.length === 0) return [];
  const width = all[0]!.high / all[0]!.low;
  const place = ({ low }: { readonly low: number }): number => Math.round(Math.log(low) / Math.log(width));
  const [shares, floors] = [shareByPlace(model, place), shareByPlace(floor, place)];
  const [first, last] = [Math.min(...all.map(place)), Math.max(...all.map(place))];
  return Array.from({ length: last - first + 1 }, (_, index) => {
    const at = first + index;
    return {
      low: width ** at,
      high: width ** (at + 1),
      model: shares.get(at) ?? 0,
      floor: floors.get(at) ?? 0,
    };
  });
}

function shareByPlace(bins: readonly LatencyBin[], place: (bin: LatencyBin) => number): ReadonlyMap<number, number> {
  const total = bins.reduce((sum, { n }) => sum + n, 0);
  return new Map(bins.map((bin) => [place(bin), bin.n / total]));
}
