import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { csvOf } from './csv.js';
import { latexOf } from './latex.js';
import type { Table } from './table.js';

const table: Table = {
  caption: 'nli & more, 100%',
  notes: ['first\n\nnote', 'p_2'],
  columns: [
    { name: 'model', title: 'Model', kind: 'text', unit: 'text' },
    { name: 'accuracy', title: 'accuracy', kind: 'interval', unit: 'ratio' },
    { name: 'difference', title: 'Difference', kind: 'number', unit: 'ratio' },
    { name: 'p', title: 'p', kind: 'number', unit: 'p' },
    { name: 'why', title: 'Why', kind: 'text', unit: 'text', csvOnly: true },
  ],
  groups: [
    [
      ['a, "b"', { value: 1 / 3, low: 0.3, high: 0.36 }, { value: -0.0123 }, { value: 0.00001 }, null],
      ['[c]', { value: 0.5, low: null, high: null }, { value: 0.5 }, { value: 0.04321 }, 'because'],
    ],
    [['line\n\n\\break', null, null, null, null]],
    [],
  ],
  throughout: [{ name: 'task', value: 'nli' }],
};

describe('csvOf', () => {
  const rows: string[][] = parse(csvOf(table));

  it('has a column for each end of an interval, and for what holds throughout', () => {
    expect(rows[0]).toEqual(['model', 'accuracy', 'accuracy_low', 'accuracy_high', 'difference', 'p', 'why', 'task']);
  });

  it('keeps full precision, and leaves empty what is not known', () => {
    expect(rows[1]).toEqual(['a, "b"', String(1 / 3), '0.3', '0.36', '-0.0123', '0.00001', '', 'nli']);
    expect(rows[3]).toEqual(['line\n\n\\break', '', '', '', '', '', '', 'nli']);
    expect(rows).toHaveLength(4);
  });

  it.each(['=cmd()', '+1', '-1', '@x', '\tx', '\rx', '＝1'])('lets no spreadsheet run %j as a formula', (name) => {
    const [, row] = parse(csvOf({ ...table, groups: [[[name, null, { value: -0.5 }, null, null]]] }));
    expect(row![0]).toBe(`'${name}`);
    expect(row![4]).toBe('-0.5');
  });
});

describe('marks of figures', () => {
  const marked: Table = {
    ...table,
    columns: [{ name: 'accuracy', title: 'accuracy', kind: 'interval', unit: 'ratio', marked: true }],
    groups: [
      [
        [{ value: 0.5, low: 0.4, high: 0.6, marks: ['estimated', 'contaminated'] }],
        [{ value: 0.5, low: null, high: null, marks: [] }],
        [null],
      ],
    ],
  };

  it('are named in a column of their own in CSV', () => {
    expect(parse(csvOf(marked))).toEqual([
      ['accuracy', 'accuracy_low', 'accuracy_high', 'accuracy_marks', 'task'],
      ['0.5', '0.4', '0.6', 'estimated contaminated', 'nli'],
      ['0.5', '', '', '', 'nli'],
      ['', '', '', '', 'nli'],
    ]);
  });

  it('precede the figure in LaTeX', () => {
    const lines = latexOf(marked).split('\n');
    expect(lines).toContain('$\\approx$$^{\\circ}$50.0 $\\pm$ 10.0 \\\\');
    expect(lines).toContain('50.0 \\\\');
  });
});

describe('latexOf', () => {
  const lines = latexOf(table).split('\n');

  it('rounds as it is shown, with ± half of the interval', () => {
    expect(lines).toContain('a, "b" & 33.3 $\\pm$ 3.0 & $-$1.2 & $<$0.0001 \\\\');
    expect(lines).toContain('{}[c] & 50.0 & 50.0 & 0.043 \\\\');
  });

  it('has a rank with the range that it may lie in', () => {
    const rank = { name: 'rank', title: 'Rank', kind: 'range', unit: 'count' } as const;
    const ranks = [{ value: 2, low: 1, high: 3 }, { value: 1200, low: 1200, high: 1200 }, { value: 4 }];
    const latex = latexOf({ ...table, columns: [rank], groups: [ranks.map((cell) => [cell])] }).split('\n');
    expect(latex.slice(8, 11)).toEqual(['2 (1--3) \\\\', '1,200 \\\\', '4 \\\\']);
  });

  it('draws a line between groups that have rows, and has the units in the titles', () => {
    expect(lines.slice(4, 12)).toEqual([
      '\\begin{tabular}{lrrr}',
      '\\toprule',
      'Model & accuracy (\\%) & Difference (\\%) & p \\\\',
      '\\midrule',
      expect.any(String),
      expect.any(String),
      '\\midrule',
      'line \\textbackslash{}break & -- & -- & -- \\\\',
    ]);
    expect(lines.filter((line) => line === '\\midrule')).toHaveLength(2);
  });

  it('escapes what LaTeX would read, in the caption and the notes too', () => {
    expect(lines).toContain('\\caption{nli \\& more, 100\\%}');
    expect(lines).toContain('{\\footnotesize first note\\par}');
    expect(lines).toContain('{\\footnotesize p\\_2\\par}');
    expect(lines.filter((line) => line === '')).toHaveLength(3);
  });
});
