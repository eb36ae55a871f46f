import type { Leaderboard } from '@assay/api-client/fetch';
import { cellMarks, figureMarks, rowMarks } from './board-marks.js';
import { directionMark, estimateText, metricTitle } from './numbers.js';
import { right, tableText, type Column } from './table.js';
import { shortened } from './wrapped.js';

type Row = Leaderboard['rows'][number];
type Metric = Leaderboard['metrics'][number];
type Values = Row['metrics'];

interface BoardColumn extends Column {
  /** The name of the column in a sentence. */
  readonly name: string;
  readonly ranked: (row: Row, place: number) => string;
  readonly reference?: (reference: Leaderboard['references'][number]) => string;
  readonly metric?: string;
  /** True for a metric with weight 0. */
  readonly isUnweighed?: true;
}

/**
 * `usual`: the performance and the metrics with a weight, as on the dashboard; `all`: every metric
 * and the number of submissions.
 */
export type BoardColumns = 'usual' | 'all';

/** A table, the names of its columns and of those left out for lack of width. */
export interface FittedTable {
  readonly text: string;
  readonly shown: readonly string[];
  /** The metrics among the columns. */
  readonly metrics: readonly string[];
  readonly leftOut: readonly string[];
}

/**
 * Columns that are left out for lack of width, in this order, after the metrics without a weight.
 */
const FACTS = ['attempts', 'owner'] as const;

interface Layout {
  readonly columns: readonly BoardColumn[];
  /** Maximum length of a model's name, in characters. */
  readonly nameLength: number;
  readonly leftOut: readonly string[];
}

/**
 * Formats the rows of a board and its references as a table of at most `width` characters, unless
 * the mandatory columns alone are wider.
 */
export function boardTable(board: Leaderboard, width: number, columns: BoardColumns = 'usual'): FittedTable {
  let fitted: FittedTable = { text: '', shown: [], metrics: [], leftOut: [] };
  for (const layout of layouts(columnsOf(board, columns))) {
    const shown = layout.columns.map(({ name }) => name);
    const metrics = layout.columns.flatMap(({ metric }) => metric ?? []);
    fitted = { text: table(board, layout), shown, metrics, leftOut: layout.leftOut };
    if (widthOf(fitted.text) <= width) break;
  }
  return fitted;
}

/**
 * Yields layouts from the widest to the narrowest. The first ones lose no information; the next
 * ones leave out the least important columns.
 */
function* layouts(all: readonly BoardColumn[]): Generator<Layout> {
  let layout: Layout = { columns: all, nameLength: Infinity, leftOut: [] };
  yield layout;
  yield (layout = { ...layout, columns: all.map(onTwoLines) });
  yield (layout = { ...layout, nameLength: 32 });
  const unweighed = all.filter(({ isUnweighed }) => isUnweighed).reverse();
  for (const { name } of unweighed) yield (layout = without(layout, name));
  yield (layout = { ...layout, nameLength: 24 });
  const facts = FACTS.filter((fact) => all.some(({ name }) => name === fact));
  for (const name of facts) yield (layout = without(layout, name));
  yield { ...layout, nameLength: 16 };
}

const without = (layout: Layout, left: string): Layout => ({
  ...layout,
  columns: layout.columns.filter(({ name }) => name !== left),
  leftOut: [...layout.leftOut, left],
});

/** Moves the unit and the direction below the name. */
const onTwoLines = (column: BoardColumn): BoardColumn => ({
  ...column,
  title: column.title.replace(/ (\S+ [↑↓])$/, '\n$1'),
});

/** Formats the performance by dataset. */
export function datasetTable({ rows, metrics, datasets }: Leaderboard): string {
  const [performance] = metrics;
  if (!performance) return '';
  const { name, unit, direction } = performance;
  const shown = datasets.filter((dataset) => rows.some((row) => row.datasets[dataset.name]?.[name] !== undefined));
  return tableText(
    [
      `${metricTitle(name, unit)} ${directionMark(direction)}`,
      ...shown.map((each) => right(`${each.name} v${each.version}${each.weight > 0 ? '' : ' (reports)'}`)),
    ],
    rows.map((row) => [
      row.model.name,
      ...shown.map((dataset) => {
        const estimate = row.datasets[dataset.name]?.[name];
        return estimate ? `${cellMarks(row, dataset.name, estimate)}${estimateText(unit, estimate)}` : '·';
      }),
    ]),
  );
}

const widthOf = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

function table(board: Leaderboard, { columns, nameLength }: Layout): string {
  return tableText(columns, [
    ...board.rows.map((row, place) => {
      const named = { ...row, model: { ...row.model, name: shortened(row.model.name, nameLength) } };
      return columns.map(({ ranked }) => ranked(named, place));
    }),
    ...board.references.map((each) => columns.map(({ reference }) => reference?.(each) ?? '')),
  ]);
}

function columnsOf(board: Leaderboard, columns: BoardColumns): BoardColumn[] {
  const { rows, references, official } = board;
  const isAll = columns === 'all';
  const shown = board.metrics.filter(
    ({ name, weight }, place) =>
      (isAll || weight > 0 || place === 0) &&
      [...rows, ...references].some(({ metrics }) => metrics[name] !== undefined),
  );
  return [
    {
      name: 'rank',
      title: '#',
      ranked: (row) => `${row.couldBeFirst ? FIRST_BAR : ' '} ${row.rank ?? '·'}`,
      reference: () => '  ─',
    },
    { name: 'interval of the rank', title: '', ranked: rankInterval },
    ...(official ? [] : [officialColumn]),
    {
      name: 'model',
      title: 'model',
      ranked: (row) => `${row.model.name} ${rowMarks(board, row)}`.trim(),
      reference: ({ name }) => name,
    },
    { name: 'owner', title: 'owner', ranked: ({ model }) => model.owner, reference: () => '(reference)' },
    ...(isAll && rows.some(({ attempts }) => attempts !== undefined) ? [attemptsColumn] : []),
    { name: 'score', title: 'score ↑', align: 'right', ranked: ({ dynascore }) => dynascore.toFixed(1) },
    ...shown.map((metric) => metricColumn(metric)),
    ...(board.against ? [againstColumn(board.against, unitOf(board, board.against.metric))] : []),
  ];
}

type Against = NonNullable<Leaderboard['against']>;

const unitOf = ({ metrics }: Leaderboard, metric: string): string =>
  metrics.find(({ name }) => name === metric)?.unit ?? 'ratio';

/** The difference from a model or from the previous benchmark version, marked where it is significant. */
const againstColumn = ({ model, benchmarkVersion }: Against, unit: string): BoardColumn => ({
  name: 'difference',
  title: `− ${model?.name ?? `version ${benchmarkVersion}`}`,
  align: 'right',
  ranked: ({ against }) => {
    if (!against) return '·';
    const { difference, verdict } = against;
    const mark = verdict === 'none' ? '≈ ' : '';
    return `${mark}${difference.value > 0 ? '+' : ''}${estimateText(unit, difference)}`;
  },
});

/** Marks the rows that could be first. */
export const FIRST_BAR = '▌';

const rankInterval = ({ rankLow, rankHigh }: Row): string => (rankLow === rankHigh ? '' : `${rankLow}–${rankHigh}`);

const officialColumn: BoardColumn = {
  name: 'official rank',
  title: 'official',
  align: 'right',
  ranked: ({ officialRank }) => String(officialRank ?? '·'),
};

const attemptsColumn: BoardColumn = {
  name: 'attempts',
  title: 'attempts',
  align: 'right',
  ranked: ({ attempts }) => String(attempts ?? '·'),
};

function metricColumn({ name, unit, direction, weight }: Metric): BoardColumn {
  const value = (metrics: Values): string => {
    const estimate = metrics[name];
    if (!estimate) return '·';
    return `${figureMarks(name, estimate)}${estimateText(unit, estimate)}`;
  };
  return {
    name: name.replaceAll('_', ' '),
    metric: name,
    title: `${metricTitle(name, unit)} ${directionMark(direction)}`,
    align: 'right',
    ...(weight === 0 && { isUnweighed: true as const }),
    ranked: ({ metrics }) => value(metrics),
    reference: ({ metrics }) => value(metrics),
  };
}
