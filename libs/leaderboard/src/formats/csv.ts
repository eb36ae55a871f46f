import { stringify } from 'csv-stringify/sync';
import type { Cell, Column, ColumnKind, Table } from './table.js';

export const CSV_MEDIA_TYPE = 'text/csv';

/**
 * Returns the table as CSV (RFC 4180): a header, full precision, empty fields for unknown values. A
 * text that a spreadsheet would run as a formula (it begins with = + - @, a tab or their full-width
 * forms) is prefixed with an apostrophe, as names are chosen by strangers.
 */
export function csvOf({ columns, groups, details = [], throughout }: Table): string {
  const header = [...columns.flatMap(headersOf), ...throughout.map(({ name }) => name)];
  const constants = throughout.map(({ value }) => value);
  const rows = [...groups.flat(), ...details].map((row) => [
    ...columns.flatMap((column, place) => fieldsOf(column, row[place] ?? null)),
    ...constants,
  ]);
  return stringify([header, ...rows], { escape_formulas: true, record_delimiter: '\r\n' });
}

const headersOf = ({ name, kind, marked }: Column): string[] => [
  ...(hasEnds(kind) ? [name, `${name}_low`, `${name}_high`] : [name]),
  ...(marked ? [`${name}_marks`] : []),
];

const hasEnds = (kind: ColumnKind): boolean => kind === 'interval' || kind === 'range';

function fieldsOf({ kind, marked }: Column, cell: Cell): (string | number | null)[] {
  const figure = typeof cell === 'string' ? null : cell;
  return [
    typeof cell === 'string' ? cell : (figure?.value ?? null),
    ...(hasEnds(kind) ? [figure?.low ?? null, figure?.high ?? null] : []),
    ...(marked ? [figure?.marks?.join(' ') || null] : []),
  ];
}
