import type { Schemas } from '../connection/api.js';
import { cellMarks, ESTIMATED, rowMarks } from './board-marks.js';
import { directionMark, estimateText, metricTitle, sharePercent } from './numbers.js';
import { tableText, type Column } from './table.js';
import { tieBrackets } from './tie-brackets.js';
import { shortened } from './wrapped.js';

type Leaderboard = Schemas['Leaderboard'];
type Row = Leaderboard['rows'][number];
type Metric = Leaderboard['metrics'][number];
type Values = Row['metrics'];

interface BoardColumn extends Column {
  /** What it is called in a sentence. */
  readonly name: string;
  readonly ranked: (row: Row, place: number) => string;
  readonly reference?: (reference: Leaderboard['references'][number]) => string;
  /** Where there is no room, the column with the highest goes first; without it, it stays. */
  readonly givesWay?: number;
}

/** A table, and what it lacks for want of room. */
export interface FittedTable {
  readonly text: string;
  readonly leftOut: readonly string[];
}

/** Characters of a model's name where there is no room for more. */
const SHORT_NAMES = [32, 24, 16] as const;

/** The rows of a board and its references in `width` characters, as far as what must stand there lets it. */
export function boardTable(board: Leaderboard, width: number): FittedTable {
  const columns = columnsOf(board);
  const leftOut: string[] = [];
  let nameLength = Infinity;
  const shorter = [...SHORT_NAMES];
  for (;;) {
    const text = table(board, columns, nameLength);
    if (widthOf(text) <= width) return { text, leftOut };
    const next = yielding(columns);
    if (next) {
      columns.splice(columns.indexOf(next), 1);
      leftOut.push(next.name);
    } else if (shorter.length > 0) nameLength = shorter.shift()!;
    else return { text, leftOut };
  }
}

/** Performance by dataset. */
export function datasetTable({ rows, metrics, datasets }: Leaderboard): string {
  const [performance] = metrics;
  if (!performance) return '';
  const { name, unit, direction } = performance;
  const shown = datasets.filter((dataset) => rows.some((row) => row.datasets[dataset.name]?.[name] !== undefined));
  return tableText(
    [
      { title: `${metricTitle(name, unit)} ${directionMark(direction)}` },
      ...shown.map((dataset) => ({
        title: `${dataset.name} v${dataset.version}${dataset.weight > 0 ? '' : ' (reports)'}`,
        align: 'right' as const,
      })),
    ],
    rows.map((row) => [
      row.model.name,
      ...shown.map((dataset) => {
        const estimate = row.datasets[dataset.name]?.[name];
        return estimate ? `${cellMarks(row, dataset.name)}${estimateText(unit, estimate)}` : '·';
      }),
    ]),
  );
}

export const widthOf = (text: string): number => Math.max(...text.split('\n').map((line) => line.length));

function yielding(columns: readonly BoardColumn[]): BoardColumn | undefined {
  return columns
    .filter(({ givesWay }) => givesWay !== undefined)
    .sort((a, b) => b.givesWay! - a.givesWay!)
    .at(0);
}

function table(board: Leaderboard, columns: readonly BoardColumn[], nameLength: number): string {
  return tableText(columns, [
    ...board.rows.map((row, place) => {
      const named = { ...row, model: { ...row.model, name: shortened(row.model.name, nameLength) } };
      return columns.map(({ ranked }) => ranked(named, place));
    }),
    ...board.references.map((each) => columns.map(({ reference }) => reference?.(each) ?? '')),
  ]);
}

function columnsOf(board: Leaderboard): BoardColumn[] {
  const { rows, references, official } = board;
  const brackets = tieBrackets(rows);
  const shown = board.metrics.filter(({ name }) =>
    [...rows, ...references].some(({ metrics }) => metrics[name] !== undefined),
  );
  return [
    { name: 'rank', title: '#', ranked: (row, place) => `${brackets[place]} ${row.rank}`, reference: () => '  ─' },
    { name: 'interval of the rank', title: '', ranked: rankInterval },
    ...(official ? [] : [officialColumn]),
    {
      name: 'model',
      title: 'model',
      ranked: (row) => `${row.model.name} ${rowMarks(board, row)}`.trim(),
      reference: ({ name }) => name,
    },
    { name: 'owner', title: 'owner', givesWay: 1, ranked: ({ model }) => model.owner, reference: () => '(reference)' },
    ...(rows.some(({ attempts }) => attempts !== undefined) ? [attemptsColumn] : []),
    { name: 'score', title: 'score ↑', align: 'right', ranked: ({ dynascore }) => dynascore.toFixed(1) },
    ...(rows.some(({ first }) => first !== null) ? [firstColumn] : []),
    ...shown.map(metricColumn),
  ];
}

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
  givesWay: 3,
  ranked: ({ attempts }) => String(attempts ?? '·'),
};

const firstColumn: BoardColumn = {
  name: 'probability of being the first',
  title: 'first %',
  align: 'right',
  givesWay: 2,
  ranked: ({ first }) => (first === null ? '·' : sharePercent(first)),
};

/** Those that do not count go first, the last of them before the others. */
function metricColumn({ name, unit, direction, weight }: Metric, place: number): BoardColumn {
  const value = (metrics: Values): string => {
    const estimate = metrics[name];
    if (!estimate) return '·';
    return `${estimate.estimated ? ESTIMATED : ''}${estimateText(unit, estimate)}`;
  };
  return {
    name: name.replaceAll('_', ' '),
    title: `${metricTitle(name, unit)} ${directionMark(direction)}`,
    align: 'right',
    ...(weight === 0 && { givesWay: 10 + place }),
    ranked: ({ metrics }) => value(metrics),
    reference: ({ metrics }) => value(metrics),
  };
}
