import Table from 'cli-table3';

export interface Column {
  readonly title: string;
  readonly align?: 'left' | 'right';
}

const NO_LINES = Object.fromEntries(
  [
    ...['top', 'top-mid', 'top-left', 'top-right', 'bottom', 'bottom-mid', 'bottom-left', 'bottom-right'],
    ...['left', 'left-mid', 'mid', 'mid-mid', 'right', 'right-mid'],
  ].map((place) => [place, '']),
);

/** Returns a column of numbers. */
export const right = (title: string): Column => ({ title, align: 'right' });

/**
 * Formats a table with column titles, two spaces between columns and no lines, so that it can be
 * pasted elsewhere.
 */
export function tableText(columns: readonly (string | Column)[], rows: readonly (readonly string[])[]): string {
  const table = new Table({
    head: columns.map((column) => (typeof column === 'string' ? column : column.title)),
    colAligns: columns.map((column) => (typeof column !== 'string' && column.align) || 'left'),
    chars: { ...NO_LINES, middle: '  ' },
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0, compact: true },
  });
  table.push(...rows.map((row) => [...row]));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
