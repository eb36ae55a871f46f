import type { CompareMatrixView, CompareView, DatasetComparison, MetricComparison } from '@assay/contracts/comparison';
import { comparedMarks, marksLegend } from '@assay/scoring/marks';
import type { Cell, Column, ColumnUnit, Row, Table } from './table.js';

const text = (name: string, title: string): Column => ({ name, title, kind: 'text', unit: 'text' });
const detail = (name: string, unit: ColumnUnit = 'text'): Column => ({
  name,
  title: name,
  kind: unit === 'text' ? 'text' : 'number',
  unit,
  csvOnly: true,
});

/**
 * Returns one row for each dataset and metric, after the overall differences. Slices are in CSV
 * only.
 */
export function compareTable(view: CompareView): Table {
  const units = new Set(view.metrics.map(({ unit }) => unit as ColumnUnit));
  // metrics with the same unit share the columns; otherwise the metric column tells the figures
  // apart
  const unit: ColumnUnit = units.size === 1 ? [...units][0]! : 'value';
  return {
    caption: `${view.a.name} (a) and ${view.b.name} (b) on ${view.task}, benchmark version ${view.benchmarkVersion}.`,
    notes: notesOf(view),
    columns: [
      text('dataset', 'Dataset'),
      detail('version'),
      text('metric', 'Metric'),
      detail('field'),
      detail('slice'),
      { name: 'n', title: 'n', kind: 'number', unit: 'count' },
      { name: 'a', title: 'a', kind: 'interval', unit, marked: true },
      { name: 'b', title: 'b', kind: 'interval', unit, marked: true },
      { name: 'difference', title: 'a - b', kind: 'interval', unit },
      detail('p', 'p'),
      { name: 'holm', title: 'p', kind: 'number', unit: 'p' },
      text('better', 'Better'),
      detail('test'),
      detail('only_a', 'count'),
      detail('only_b', 'count'),
      detail('detectable', unit),
      detail('stands_out'),
      detail('exposure_a'),
      detail('exposure_b'),
      detail('own'),
    ],
    groups: [overallRows(view), datasetRows(view)],
    details: sliceRows(view),
    throughout: [
      { name: 'task', value: view.task },
      { name: 'benchmark_version', value: `v${view.benchmarkVersion}` },
      { name: 'model_a', value: view.a.name },
      { name: 'model_b', value: view.b.name },
      { name: 'model_a_id', value: view.a.id },
      { name: 'model_b_id', value: view.b.id },
      { name: 'compared_on', value: `${view.overall.comparable} of ${view.overall.of}` },
      { name: 'decision', value: view.decision ?? '' },
    ],
  };
}

const overallRows = ({ overall }: CompareView): Row[] =>
  Object.entries(overall.metrics).map(([metric, { difference, p, holm, better }]) => [
    'overall',
    null,
    metric,
    ...nothing(5),
    difference,
    figure(p),
    figure(holm),
    better,
    ...nothing(8),
  ]);

const datasetRows = ({ datasets }: CompareView): Row[] =>
  datasets.flatMap((each) =>
    Object.entries(each.metrics).map(([metric, compared]) => [
      nameOf(each),
      `v${each.version}`,
      metric,
      null,
      null,
      { value: each.n },
      ...figuresOf(each, compared),
      null,
      each.exposure.a,
      each.exposure.b,
      (['a', 'b'] as const).filter((side) => each.own[side]).join(', ') || null,
    ]),
  );

const sliceRows = ({ datasets }: CompareView): Row[] =>
  datasets.flatMap((each) =>
    Object.entries(each.slices).flatMap(([field, values]) =>
      Object.entries(values).flatMap(([value, { n, metrics }]) =>
        Object.entries(metrics).map(([metric, compared]) => [
          nameOf(each),
          `v${each.version}`,
          metric,
          field,
          value,
          { value: n },
          ...figuresOf(each, compared),
          compared.standsOut ? 'yes' : 'no',
          ...nothing(3),
        ]),
      ),
    ),
  );

/** Returns the cells of the columns from `a` to `detectable`. */
const figuresOf = (
  of: DatasetComparison,
  {
    a,
    b,
    difference,
    p,
    holm,
    better,
    test,
    discordant,
    detectable,
  }: Omit<MetricComparison, 'holm'> & Partial<MetricComparison>,
): Cell[] => [
  { ...a, marks: comparedMarks(of, 'a', a) },
  { ...b, marks: comparedMarks(of, 'b', b) },
  difference,
  figure(p),
  figure(holm ?? null),
  better,
  test,
  figure(discordant?.a ?? null),
  figure(discordant?.b ?? null),
  figure(detectable),
];

const figure = (value: number | null): Cell => (value === null ? null : { value });
const nothing = (cells: number): Cell[] => Array.from({ length: cells }, () => null);

const nameOf = ({ dataset, perturbation }: CompareView['datasets'][number]): string =>
  perturbation ? `${dataset} (${perturbation})` : dataset;

function notesOf({ overall, datasets, warnings, decision }: CompareView): string[] {
  return [
    `a - b on the same examples, ± half of a 95% interval; p corrected by Holm's procedure over all metrics and datasets; overall: ${overall.comparable} of ${overall.of} datasets, weighted as the board weighs them.`,
    ...marksLegend(
      datasets.flatMap((each) =>
        Object.values(each.metrics).flatMap(({ a, b }) => [
          ...comparedMarks(each, 'a', a),
          ...comparedMarks(each, 'b', b),
        ]),
      ),
    ),
    ...(decision === null ? [] : [decision]),
    ...warnings,
    ...datasets.flatMap((each) => each.warnings.map((warning) => `${nameOf(each)}: ${warning}`)),
    ...overall.missing.map(({ dataset, why }) => `Not in the overall difference: ${dataset} (${why}).`),
  ];
}

/** Returns one row for each pair of models. */
export function compareMatrixTable(view: CompareMatrixView): Table {
  const names = new Map(view.models.map(({ id, name }) => [id, name]));
  return {
    caption: `Differences in ${view.performance} on ${view.task}, benchmark version ${view.benchmarkVersion}.`,
    notes: [
      'a - b, ± half of a 95% interval; p by the procedure of Holm over the pairs.',
      ...view.pairs.flatMap(({ a, b, warnings }) =>
        warnings.map((warning) => `${names.get(a) ?? a} and ${names.get(b) ?? b}: ${warning}`),
      ),
    ],
    columns: [
      text('a', 'a'),
      text('b', 'b'),
      { name: 'difference', title: 'a - b', kind: 'interval', unit: 'ratio' },
      detail('p', 'p'),
      { name: 'holm', title: 'p', kind: 'number', unit: 'p' },
      text('better', 'Better'),
      text('compared_on', 'Datasets'),
      detail('warnings'),
      detail('a_id'),
      detail('b_id'),
    ],
    groups: [
      view.pairs.map((pair) => [
        names.get(pair.a) ?? pair.a,
        names.get(pair.b) ?? pair.b,
        pair.difference ?? null,
        figure(pair.p),
        figure(pair.holm),
        pair.better,
        `${pair.comparable} of ${view.of}`,
        pair.warnings.join(' ') || null,
        pair.a,
        pair.b,
      ]),
    ],
    throughout: [
      { name: 'task', value: view.task },
      { name: 'benchmark_version', value: `v${view.benchmarkVersion}` },
      { name: 'metric', value: view.performance },
    ],
  };
}
