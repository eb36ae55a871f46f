import type { Overview, Saturation } from '@assay/api-client/angular';
import type { EChartsCoreOption } from 'echarts/core';
import { CHART_SYMBOLS, type ChartColours } from '../ui/index.js';

/**
 * The saturation of a task over its datasets that have a weight and a human performance, with the
 * reason if it cannot be computed. Saturation is (best − human) ÷ |first − human|: −1 for the first
 * model, 0 for human performance.
 */
export interface TaskSaturation {
  readonly task: string;
  readonly name: string;
  readonly performance: string;
  readonly overall: Saturation['overall'];
}

/** Returns the saturation of a task. Empty if the task has no board yet. */
export function taskSaturation({
  task,
  name,
  saturation,
}: Pick<Overview['items'][number], 'task' | 'name' | 'saturation'>): readonly TaskSaturation[] {
  return saturation ? [{ task, name, performance: saturation.performance, overall: saturation }] : [];
}

/** A point of a task's line: [milliseconds since 1970, saturation]. */
type SaturationPoint = readonly [number, number];

/**
 * Returns the points of a stepped line. The best value holds until a better one, and the last until
 * `now`. Empty if there is no saturation.
 */
export function saturationLine({ points }: Saturation['overall'], now: number): readonly SaturationPoint[] {
  const known = points.flatMap(({ at, saturation }): SaturationPoint[] =>
    saturation === null ? [] : [[Date.parse(at), saturation]],
  );
  const last = known.at(-1);
  return last ? [...known, [Math.max(now, last[0]), last[1]]] : [];
}

/** The latest saturation. Undefined if it is not known. */
export function saturationNow({ points }: Saturation['overall']): { readonly value: number } | undefined {
  const value = points.at(-1)?.saturation ?? null;
  return value === null ? undefined : { value };
}

/** Why there is no saturation. */
export const NO_SATURATION: Readonly<Record<NonNullable<Saturation['overall']['reason']>, string>> = {
  no_human_figure: $localize`Human performance not known yet`,
  no_model: $localize`No ranked models yet`,
  first_equals_human: $localize`The first model matched human performance`,
};

const DASHES = ['solid', [6, 3], [2, 3], [10, 4, 2, 4], [8, 2], [1, 3], [12, 4]] as const;
const STEP = 0.25;

/**
 * The chart of saturation over time: a stepped line for each task, distinguished by colour, dash
 * pattern and symbol. The first model is at −1, human performance at 0.
 */
export function saturationOptions(
  lines: readonly { readonly name: string; readonly points: readonly SaturationPoint[] }[],
  colours: ChartColours,
): EChartsCoreOption {
  const heights = lines.flatMap(({ points }) => points.map(([, height]) => height));
  return {
    grid: { left: 8, right: 16, top: 40, bottom: 8, containLabel: true },
    legend: { type: 'scroll', top: 0, left: 0, textStyle: { color: colours.text }, itemWidth: 36 },
    tooltip: {
      trigger: 'axis',
      renderMode: 'richText',
      valueFormatter: (value: unknown) => (value as number).toFixed(2),
    },
    xAxis: {
      type: 'time',
      axisLine: { onZero: false, lineStyle: { color: colours.line } },
      axisLabel: { color: colours.muted, hideOverlap: true },
      splitLine: { show: false },
    },
    yAxis: {
      type: 'value',
      // one step beyond the levels of the first model and of people, so that their lines are not on
      // the edge
      min: Math.floor(Math.min(-1 - STEP, ...heights) / STEP) * STEP,
      max: Math.ceil(Math.max(STEP, ...heights) / STEP) * STEP,
      interval: STEP,
      splitLine: { lineStyle: { color: colours.line } },
      axisLabel: { color: colours.muted, showMinLabel: false, showMaxLabel: false },
    },
    series: lines.map(({ name, points }, index) => ({
      type: 'line',
      name,
      step: 'end',
      // the last point is the current time, not a model
      data: points.map((value, place) => ({ value, ...(place === points.length - 1 && { symbol: 'none' }) })),
      symbol: CHART_SYMBOLS[index % CHART_SYMBOLS.length],
      symbolSize: 9,
      color: colours.data[index % colours.data.length],
      lineStyle: { width: 2, type: DASHES[index % DASHES.length] },
      showAllSymbol: true,
      ...(index === 0 && { markLine: levels(colours) }),
    })),
  };
}

const levels = (colours: ChartColours): object => ({
  silent: true,
  symbol: 'none',
  lineStyle: { color: colours.muted, type: 'dashed', width: 1 },
  label: { position: 'insideStartTop', color: colours.muted, formatter: '{b}' },
  data: [
    { yAxis: 0, name: $localize`people` },
    { yAxis: -1, name: $localize`the first model` },
  ],
});
