import { describe, expect, it } from '@jest/globals';
import type { ChartColours } from '../../ui/charts/chart.js';
import { type ChartPoint, radarOptions, scatterOptions } from './chart-options.js';

const COLOURS: ChartColours = { text: '', muted: '', line: '', surface: '', accent: '', data: [] };
/** In CSS pixels: of the chart on a phone, and on a desktop. */
const [NARROW, WIDE] = [320, 640];

interface Shown {
  readonly legend: { readonly data: readonly string[]; readonly formatter: (name: string) => string };
  readonly radar: { readonly radius: number; readonly indicator: readonly { readonly name: string }[] };
  readonly series: readonly {
    readonly type: string;
    readonly name?: string;
    readonly data: readonly { readonly label: { readonly position: string; readonly formatter: string } }[];
  }[];
}

const point = (name: string, x: number, isFront = true): ChartPoint => ({
  ...{ name, isFront, words: '' },
  x: [x, x, x],
  y: [1, 1, 1],
});

describe('the scatter', () => {
  const axis = { name: 'accuracy', isHigherBetter: true };
  const scatter = (points: readonly ChartPoint[], width = WIDE): Shown =>
    scatterOptions({ x: axis, y: axis }, points, COLOURS, width) as unknown as Shown;
  const labelsOf = ({ series }: Shown) =>
    series.filter(({ type }) => type === 'scatter').flatMap(({ data }) => data.map(({ label }) => label));

  it('writes a name to the left of its point where it would leave the chart at the right', () => {
    const positionsOf = (...points: readonly ChartPoint[]): readonly string[] =>
      labelsOf(scatter(points)).map(({ position }) => position);
    expect(positionsOf(point('slow', 10), point('rather fast', 75), point('fast', 100))).toEqual([
      'right',
      'right',
      'left',
    ]);
    expect(positionsOf(point('slow', 10), point('rather fast, with a long name', 75), point('a', 100))[1]).toBe('left');
    expect(positionsOf(point('the only one', 10))).toEqual(['left']);
  });

  it('shortens a name that is longer than half of the chart', () => {
    const long = 'Donaudampfschifffahrtselektrizitätenhauptbetriebswerk';
    const shown = (width: number): string => labelsOf(scatter([point(long, 1)], width))[0]!.formatter;
    expect(shown(NARROW)).toMatch(/^Donaudampfschifff?…$/);
    expect(shown(WIDE)).toHaveLength(43);
    expect(labelsOf(scatter([point('short', 1)], NARROW))[0]!.formatter).toBe('short');
  });

  it('names the front once in the legend, and beaten models only where there are any', () => {
    expect(scatter([point('a', 1)]).legend.data).toEqual(['Pareto front']);
    expect(scatter([point('a', 1), point('b', 2, false)]).legend.data).toEqual([
      'Pareto front',
      'beaten on both metrics',
    ]);
  });
});

describe('the radar', () => {
  const radar = (width: number): Shown =>
    radarOptions(['throughput, examples/s ↑', 'accuracy, % ↑'], [], COLOURS, width) as unknown as Shown;

  it('leaves room at both sides for the names of the axes, whose units have a line of their own', () => {
    const { indicator, radius } = radar(NARROW).radar;
    expect(indicator.map(({ name }) => name)).toEqual(['throughput\nexamples/s ↑', 'accuracy\n% ↑']);
    expect(radius).toBe(60);
    expect(radar(WIDE).radar.radius).toBe(118);
  });

  it('shortens the names in the legend', () =>
    expect(radar(WIDE).legend.formatter('x'.repeat(100))).toBe(`${'x'.repeat(27)}…`));
});
