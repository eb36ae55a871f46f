import type { EChartsCoreOption } from 'echarts/core';
import { CHART_SYMBOLS, type ChartColours } from '../ui/chart.js';

/** A model's shape in the radar: a place from 0 to 1 on each axis, null where it has no figure. */
export interface RadarShape {
  readonly name: string;
  readonly places: readonly (number | null)[];
  /** The figures in words, by axis. */
  readonly words: readonly string[];
}

const DASHES = ['solid', 'dashed', 'dotted', [10, 4, 2, 4]] as const;

/** In CSS pixels, of a radar: the radius where there is room for it, and the room at each side for the name of an axis. */
const RADIUS = 118;
const NAME_ROOM = 100;
/** The width of a letter in a chart, on average, in CSS pixels. */
const LETTER = 6.5;
/** Letters of a model's name in a legend. */
const LEGEND_LETTERS = 28;

/** Shapes over axes, each axis from the worst in the middle to the best at the edge. The names of the axes fit into `width`. */
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
      // the unit on a line of its own
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

/** A point of the scatter in the numbers that its axes show. */
export interface ChartPoint {
  readonly name: string;
  readonly x: readonly [value: number, low: number, high: number];
  readonly y: readonly [value: number, low: number, high: number];
  readonly isFront: boolean;
  readonly words: string;
}

/** Above so many, only the front is named and has its intervals drawn. */
const MANY = 25;

/** The room at both sides of the points of a scatter, in CSS pixels: the numbers of the axis and the margins. */
const SCATTER_MARGIN = 80;

/** Models on two metrics, the front joined by steps: below and behind it a model is beaten on both. Names fit into `width`. */
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
  /** With its unit and which way is better. */
  readonly name: string;
  readonly isHigherBetter: boolean;
}

/** Intervals as thin lines through the points, both ways. */
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

/** A name of at most `most` letters. */
function shortened(name: string, most: number): string {
  const letters = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  return letters.length > most ? `${letters.slice(0, most - 1).join('')}…` : name;
}

/** From the lowest to the highest end of the intervals that are drawn. */
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
  // as far as the points alone would reach, and where an interval goes further, as far as that
  min: ({ min }: { min: number }) => Math.floor(Math.min(min, lowest)),
  max: ({ max }: { max: number }) => Math.max(max, highest),
  name: axis.name,
  nameTextStyle: { color: colours.muted },
  axisLine: { show: true, lineStyle: { color: colours.line } },
  axisLabel: { color: colours.muted, showMinLabel: false, showMaxLabel: false, hideOverlap: true },
  splitLine: { lineStyle: { color: colours.line } },
  ...more,
});
