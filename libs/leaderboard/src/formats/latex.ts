import { count, metricValue, pValue } from '@assay/contracts/text';
import { FIGURE_MARKS, markText } from '@assay/scoring/marks';
import escapeLatex from 'escape-latex';
import type { Cell, Column, ColumnUnit, Table } from './table.js';

export const LATEX_MEDIA_TYPE = 'application/x-latex';

/**
 * Returns the table as LaTeX for a paper: booktabs, numbers rounded as in the dashboard, intervals
 * as ± half their width.
 */
export function latexOf({ caption, notes, columns, groups }: Table): string {
  const shown = columns.flatMap((column, place) => (column.csvOnly ? [] : [{ column, place }]));
  const body = groups
    .filter((rows) => rows.length > 0)
    .map((rows) => rows.map((row) => line(shown.map(({ column, place }) => cellText(column, row[place] ?? null)))));
  return [
    '% needs \\usepackage{booktabs}',
    '\\begin{table}',
    '\\centering',
    `\\caption{${textOf(caption)}}`,
    `\\begin{tabular}{${shown.map(({ column }) => (isNumber(column) ? 'r' : 'l')).join('')}}`,
    '\\toprule',
    line(shown.map(({ column }) => titleOf(column))),
    ...body.flatMap((lines) => ['\\midrule', ...lines]),
    '\\bottomrule',
    '\\end{tabular}',
    ...notes.map((note) => `\n{\\footnotesize ${textOf(note)}\\par}`),
    '\\end{table}',
    '',
  ].join('\n');
}

/** LaTeX commands for characters that its fonts lack. */
const COMMANDS: Readonly<Record<string, string>> = {
  '±': '$\\pm$',
  '→': '$\\to$',
  [FIGURE_MARKS.own.mark]: '$^{\\dagger}$',
  [FIGURE_MARKS.estimated.mark]: '$\\approx$',
  [FIGURE_MARKS.contaminated.mark]: '$^{\\circ}$',
  [FIGURE_MARKS.contended.mark]: '$^{\\ddagger}$',
  [FIGURE_MARKS.short.mark]: '$^{\\S}$',
  [FIGURE_MARKS.rounded.mark]: '$\\sim$',
};

/** Whitespace is collapsed: an empty line would end the paragraph, and the table with it. */
const textOf = (text: string): string =>
  escapeLatex(text.replaceAll(/\s+/gu, ' ').trim()).replaceAll(/[^\0-\x7f]/gu, (each) => COMMANDS[each] ?? each);

// a line that starts with [ or * would be read as an argument of the preceding \\
const line = (cells: readonly string[]): string => `${cells.join(' & ').replace(/^(?=[[*])/, '{}')} \\\\`;

const isNumber = ({ unit }: Column): boolean => unit !== 'text';

const UNIT_TITLES: Readonly<Record<ColumnUnit, string>> = {
  ratio: ' (%)',
  nat: ' (nat)',
  value: '',
  's/example': ' (ms/example)',
  'examples/s': ' (examples/s)',
  ms: ' (ms)',
  GiB: ' (GiB)',
  score: '',
  count: '',
  p: '',
  text: '',
};

const titleOf = ({ title, unit }: Column): string => textOf(`${title}${UNIT_TITLES[unit]}`);

function cellText({ kind, unit }: Column, cell: Cell): string {
  if (cell === null) return '--';
  if (typeof cell === 'string') return textOf(cell);
  const { value, low, high, marks = [] } = cell;
  const shown = `${textOf(markText(marks))}${numberText(unit, value)}`;
  if (typeof low !== 'number' || typeof high !== 'number') return shown;
  if (kind === 'range') return low === high ? shown : `${shown} (${numberText(unit, low)}--${numberText(unit, high)})`;
  return kind === 'interval' ? `${shown} $\\pm$ ${numberText(unit, (high - low) / 2)}` : shown;
}

function numberText(unit: ColumnUnit, value: number): string {
  return shownNumber(unit, value).replace(/^-/, '$-$').replace(/^</, '$<$');
}

function shownNumber(unit: ColumnUnit, value: number): string {
  switch (unit) {
    case 'score':
      return value.toFixed(1);
    case 'count':
      return count(value);
    case 'p':
      return pValue(value);
    default:
      return metricValue(unit, value);
  }
}
