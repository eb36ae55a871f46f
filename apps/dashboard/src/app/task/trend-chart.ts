import type { Trend } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { CHART_SYMBOLS, type ChartColours } from '../ui/index.js';

/**
 * One model over the rounds, in order. A point is undefined if the model was not among the top of
 * the round.
 */
interface TrendLine {
  readonly id: string;
  readonly name: string;
  readonly points: readonly (Trend['rounds'][number]['models'][number] | undefined)[];
}

/**
 * Returns the models that were among the top of any round, at most `most`. Starts with those of the
 * newest round, in its order.
 */
export function trendLines({ rounds }: Trend, most: number): readonly TrendLine[] {
  const ids = new Map(
    rounds.toReversed().flatMap(({ models }) => models.map(({ model: { id, name } }) => [id, name] as const)),
  );
  return [...ids].slice(0, most).map(([id, name]) => ({
    id,
    name,
    points: rounds.map((round) => round.models.find((each) => each.model.id === id)),
  }));
}

export interface TrendChart {
  readonly trend: Trend;
  readonly lines: readonly TrendLine[];
  /** Formats a figure with its unit. */
  readonly shown: (value: number) => string;
  /**
   * The factor for the axis: 100 if the metric is a ratio, so that the axis shows percent; else 1.
   */
  readonly scale: number;
}

/**
 * Returns the options of the trend chart: one line per model over the rounds. A filled mark means
 * that the model was a target in that round. Human performance is a dashed line, where it is known.
 */
export function trendOptions({ trend, lines, shown, scale }: TrendChart, colours: ChartColours): EChartsCoreOption {
  const people = trend.rounds.map(({ human }) => (human ? human.value * scale : null));
  return {
    grid: { left: 8, right: 16, top: 40, bottom: 8, containLabel: true },
    legend: { type: 'scroll', top: 0, left: 0, textStyle: { color: colours.text } },
    tooltip: {
      trigger: 'axis',
      renderMode: 'richText',
      valueFormatter: (value: unknown) => (value == null ? '·' : shown(value as number)),
    },
    xAxis: {
      type: 'category',
      data: trend.rounds.map(({ round }) => $localize`round ${round}:round:`),
      axisLine: { lineStyle: { color: colours.line } },
      axisLabel: { color: colours.muted },
    },
    yAxis: {
      type: 'value',
      scale: true,
      axisLabel: { color: colours.muted },
      splitLine: { lineStyle: { color: colours.line } },
    },
    series: [
      ...lines.map((line, index) => {
        const colour = colours.data[index % colours.data.length]!;
        return {
          type: 'line',
          name: line.name,
          color: colour,
          symbol: CHART_SYMBOLS[index % CHART_SYMBOLS.length],
          symbolSize: 12,
          data: line.points.map((point) => ({
            value: point?.value ? point.value.value * scale : null,
            itemStyle: { color: point?.inLoop ? colour : colours.surface, borderColor: colour, borderWidth: 2 },
          })),
        };
      }),
      ...(people.some((value) => value !== null)
        ? [
            {
              type: 'line',
              name: $localize`people`,
              color: colours.muted,
              symbol: 'none',
              lineStyle: { type: 'dashed', width: 1.5 },
              data: people,
            },
          ]
        : []),
    ],
  };
}
