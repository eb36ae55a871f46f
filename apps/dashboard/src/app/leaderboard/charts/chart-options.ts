import type { EChartsCoreOption } from 'echarts/core';
import { CHART_SYMBOLS, type ChartColours } from '../../ui/index.js';

/** The shape of a model in the radar chart: its position on each axis, 0 to 1, null if unknown. */
export interface RadarShape {
  readonly name: string;
  readonly places: readonly (number | null)[];
  /** The figures in words, by axis. */
  readonly words: readonly string[];
}

const DASHES = ['solid', 'dashed', 'dotted', [10, 4, 2, 4]] as const;

/** The maximum radius of the radar chart, and the space at each side for axis names. CSS pixels. */
const RADIUS = 118;
const NAME_ROOM = 100;
/** The average width of a character in a chart, in CSS pixels. */
const LETTER = 6.5;
/** The maximum length of a model's name in a legend, in characters. */
const LEGEND_LETTERS = 28;

/**
 * The options of a radar chart. Each axis runs from the worst value in the centre to the best at
 * the edge. The names of the axes fit into `width`, in CSS pixels.
 */
export function radarOptions(
  axes: readonly string[],
  shapes: readonly RadarShape[],
  colours: ChartColours,
  width: number,
): EChartsCoreOption {
  return {
    legend: {
      ...{ top: 0, left: 0, type: 'scroll', textStyle: { color: colours.text } },
      formatter: (name: string) => shortened(name, LEGEND_LETTERS),
    },
    tooltip: {
      trigger: 'item',
      renderMode: 'richText',
      formatter: ({ dataIndex }: { dataIndex: number }) =>
        [shapes[dataIndex]!.name, ...axes.map((axis, place) => `${axis}: ${shapes[dataIndex]!.words[place]!}`)].join(
          '\n',
        ),
    },
    radar: {
      // the unit on its own line
      indicator: axes.map((name) => ({ name: name.replace(', ', '\n'), min: 0, max: 1 })),
      radius: Math.max(40, Math.min(RADIUS, width / 2 - NAME_ROOM)),
      center: ['50%', '56%'],
      axisName: { color: colours.text, lineHeight: 16 },
      axisLine: { lineStyle: { color: colours.line } },
      splitLine: { lineStyle: { color: colours.line } },
      splitArea: { show: false },
      splitNumber: 4,
    },
    series: {
      type: 'radar',
      data: shapes.map(({ name, places }, index) => ({
        name,
        value: places.map((place) => place ?? 0),
        symbol: CHART_SYMBOLS[index % CHART_SYMBOLS.length],
        symbolSize: 7,
        lineStyle: { width: 2, type: DASHES[index % DASHES.length], color: colours.data[index] },
        itemStyle: { color: colours.data[index] },
      })),
    },
  };
}

/** A point of the scatter plot, in the units of its axes. */
export interface ChartPoint {
  readonly name: string;
  readonly x: readonly [value: number, low: number, high: number];
  readonly y: readonly [value: number, low: number, high: number];
  readonly isFront: boolean;
  readonly words: string;
}

/** With more points than this, only the Pareto front has names and intervals. */
const MANY = 25;

/** Horizontal space around the points of a scatter plot: axis labels and margins. CSS pixels. */
const SCATTER_MARGIN = 80;

/**
 * The options of a scatter plot of two metrics. A stepped line joins the Pareto front: behind it,
 * every model is beaten on both metrics. Names fit into `width`, in CSS pixels.
 */
export function scatterOptions(
  axes: { readonly x: ScatterAxis; readonly y: ScatterAxis },
  points: readonly ChartPoint[],
  colours: ChartColours,
  width: number,
): EChartsCoreOption {
  const front = points.filter(({ isFront }) => isFront);
  const others = points.filter(({ isFront }) => !isFront);
  const named = points.length > MANY ? front : points;
  const [lowest, highest] = ends(named, ({ x }) => x);
  const room = width - SCATTER_MARGIN;
  const letters = Math.max(6, Math.floor(room / 2 / LETTER));
  const fitsToTheRight = (name: string, x: number): boolean =>
    highest > lowest && ((x - lowest) / (highest - lowest)) * room + LETTER * (name.length + 2) <= room;
  const data = (shown: readonly ChartPoint[]): object[] =>
    shown.map((point) => {
      const name = shortened(point.name, letters);
      // above the step of the front
      const label = { position: fitsToTheRight(name, point.x[0]) ? 'right' : 'left', offset: [0, -9], formatter: name };
      return { name: point.name, value: [point.x[0], point.y[0]], words: point.words, label };
    });
  const [onFront, beaten] = [$localize`Pareto front`, $localize`beaten on both metrics`];
  return {
    grid: { left: 16, right: 24, top: 64, bottom: 32, containLabel: true },
    legend: {
      ...{ top: 0, left: 0, textStyle: { color: colours.text } },
      data: others.length > 0 ? [onFront, beaten] : [onFront],
    },
    tooltip: {
      trigger: 'item',
      renderMode: 'richText',
      formatter: ({ data: point }: { data: { name?: string; words?: string } }) =>
        [point.name, point.words].filter((each) => each).join('\n'),
    },
    xAxis: axisOptions(
      axes.x,
      ends(named, ({ x }) => x),
      colours,
      { nameLocation: 'middle', nameGap: 28 },
    ),
    yAxis: axisOptions(
      axes.y,
      ends(named, ({ y }) => y),
      colours,
      {
        nameLocation: 'end',
        nameTextStyle: { align: 'left', color: colours.muted },
      },
    ),
    series: [
      {
        type: 'line',
        data: front.map(({ x, y }) => [x[0], y[0]]),
        step: axes.x.isHigherBetter === axes.y.isHigherBetter ? 'start' : 'end',
        symbol: 'none',
        lineStyle: { color: colours.accent, width: 2 },
        itemStyle: { color: colours.accent },
        silent: true,
      },
      ...whiskers(named, colours),
      {
        type: 'scatter',
        name: beaten,
        data: data(others),
        symbol: 'circle',
        symbolSize: 8,
        itemStyle: { color: colours.muted },
        label: label(points.length <= MANY, colours),
        labelLayout: { hideOverlap: true },
      },
      {
        type: 'scatter',
        name: onFront,
        data: data(front),
        symbol: 'diamond',
        symbolSize: 12,
        itemStyle: { color: colours.accent },
        label: label(true, colours),
        labelLayout: { hideOverlap: true },
      },
    ],
  };
}

export interface ScatterAxis {
  /** The name of the metric with its unit and the better direction. */
  readonly name: string;
  readonly isHigherBetter: boolean;
}

/** Draws the intervals of each point as thin horizontal and vertical lines. */
function whiskers(points: readonly ChartPoint[], colours: ChartColours): object[] {
  const line = (from: readonly number[], to: readonly number[]): object => ({ coords: [from, to] });
  const lines = points.flatMap(({ x, y }) => [
    ...(x[2] > x[1] ? [line([x[1], y[0]], [x[2], y[0]])] : []),
    ...(y[2] > y[1] ? [line([x[0], y[1]], [x[0], y[2]])] : []),
  ]);
  return lines.length === 0
    ? []
    : [
        {
          type: 'lines',
          coordinateSystem: 'cartesian2d',
          data: lines,
          lineStyle: { color: colours.muted, width: 1, opacity: 0.7 },
          silent: true,
        },
      ];
}

const label = (show: boolean, colours: ChartColours): object => ({ show, color: colours.text });

/** Shortens a name to at most `most` characters. */
function shortened(name: string, most: number): string {
  const letters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : name;
}

/** The lowest and the highest end of the intervals that are drawn. */
function ends(points: readonly ChartPoint[], of: (point: ChartPoint) => ChartPoint['x']): readonly [number, number] {
  return [Math.min(...points.map((point) => of(point)[1])), Math.max(...points.map((point) => of(point)[2]))];
}

const axisOptions = (
  axis: ScatterAxis,
  [lowest, highest]: readonly [number, number],
  colours: ChartColours,
  more: object,
): object => ({
  type: 'value',
  scale: true,
  // the axis covers all points, and the ends of the intervals that are drawn
  min: ({ min }: { min: number }) => Math.floor(Math.min(min, lowest)),
  max: ({ max }: { max: number }) => Math.max(max, highest),
  name: axis.name,
  nameTextStyle: { color: colours.muted },
  axisLine: { show: true, lineStyle: { color: colours.line } },
  axisLabel: { color: colours.muted, showMinLabel: false, showMaxLabel: false, hideOverlap: true },
  splitLine: { lineStyle: { color: colours.line } },
  ...more,
});
