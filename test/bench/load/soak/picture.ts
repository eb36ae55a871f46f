import { LineChart } from 'echarts/charts';
import { GridComponent, LegendComponent, TitleComponent } from 'echarts/components';
import { init, use } from 'echarts/core';
import { SVGRenderer } from 'echarts/renderers';
import type { SoakSample } from './watch.js';

use([LineChart, GridComponent, LegendComponent, TitleComponent, SVGRenderer]);

const SIZE = { width: 1000, height: 720 };
const PANEL = { top: 60, height: 150, gap: 70 };

interface Panel {
  readonly title: string;
  readonly scale?: 'log';
  readonly lines: Readonly<Record<string, (sample: SoakSample) => number | null>>;
}

const PANELS: readonly Panel[] = [
  {
    title: 'Memory, MiB',
    lines: {
      'API: memory': ({ apiMiB }) => apiMiB,
      'worker: memory': ({ workerMiB }) => workerMiB,
      'evaluator: memory': ({ evaluatorMiB }) => evaluatorMiB,
      'API: kept': ({ apiRetainedMiB }) => apiRetainedMiB,
      'worker: kept': ({ workerRetainedMiB }) => workerRetainedMiB,
      'evaluator: kept': ({ evaluatorRetainedMiB }) => evaluatorRetainedMiB,
    },
  },
  {
    title: 'Response time of reads, ms',
    scale: 'log',
    lines: { 'half at most': ({ readP50 }) => readP50, '99% at most': ({ readP99 }) => readP99 },
  },
  {
    title: 'Operations a second; connections to the database; errors so far',
    lines: {
      'operations/s': ({ throughput }) => throughput,
      connections: ({ connections }) => connections,
      errors: ({ errors }) => errors,
    },
  },
];

/**
 * Draws memory, latency and throughput over the time of a soak, as an SVG that is legible on light
 * and dark pages.
 */
export function soakPicture(samples: readonly SoakSample[]): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, ...SIZE });
  const top = (index: number): number => PANEL.top + index * (PANEL.height + PANEL.gap);
  const colors = ['#2563eb', '#d97706', '#059669', '#9333ea'];
  chart.setOption({
    animation: false,
    backgroundColor: '#ffffff',
    title: PANELS.map(({ title }, index) => ({
      text: title,
      left: 60,
      top: top(index) - 34,
      textStyle: { fontSize: 14, fontWeight: 'normal', color: '#111827' },
    })),
    legend: PANELS.map(({ lines }, index) => ({ data: Object.keys(lines), right: 20, top: top(index) - 32 })),
    grid: PANELS.map((_, index) => ({ left: 60, right: 20, top: top(index), height: PANEL.height })),
    xAxis: PANELS.map((_, index) => ({
      type: 'value',
      gridIndex: index,
      min: 0,
      max: Math.ceil(samples.at(-1)!.seconds / 60),
      ...(index === PANELS.length - 1 && { name: 'minutes', nameLocation: 'middle', nameGap: 26 }),
    })),
    yAxis: PANELS.map(({ scale }, index) => ({ type: scale ?? 'value', gridIndex: index, ...(!scale && { min: 0 }) })),
    series: PANELS.flatMap(({ lines }, index) =>
      Object.entries(lines).map(([name, of], line) => ({
        type: 'line',
        name,
        xAxisIndex: index,
        yAxisIndex: index,
        showSymbol: false,
        connectNulls: true,
        lineStyle: { width: 1.5 },
        color: colors[line],
        data: samples.map((sample) => [sample.seconds / 60, of(sample)]),
      })),
    ),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
