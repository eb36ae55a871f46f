import type { CompareView } from '@assay/contracts/comparison';
import { FIGURE_MARKS } from '@assay/scoring/marks';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'csv-parse/sync';
import { compareTable } from './compare-table.js';
import { csvOf } from './csv.js';
import { latexOf } from './latex.js';

const figure = (value: number) => ({ value, low: null, high: null });
const accuracy = {
  ...{ a: figure(0.6), b: figure(0.5), difference: figure(0.1) },
  ...{ p: 0.01, holm: 0.02, better: 'a', test: 'mcnemar-mid-p', detectable: 0.05 },
};
const dataset = (name: string, exposure: { readonly a: string; readonly b: string }, own = { a: false, b: false }) => ({
  ...{ dataset: name, version: 1, n: 100, metrics: { accuracy }, exposure, own, warnings: [] },
  slices: { topic: { film: { n: 10, metrics: { accuracy: { ...accuracy, standsOut: false } } } } },
});
const VIEW = {
  ...{
    task: 'sentiment',
    benchmarkVersion: 2,
    warnings: [],
    decision: null,
    metrics: [{ name: 'accuracy', unit: 'ratio' }],
  },
  ...{ a: { id: '1', name: 'albert' }, b: { id: '2', name: 'bert' } },
  overall: { comparable: 2, of: 2, metrics: {}, missing: [] },
  datasets: [
    dataset('plain', { a: 'clean', b: 'clean' }),
    dataset('marked', { a: 'clean', b: 'exposed' }, { a: true, b: false }),
  ],
} as unknown as CompareView;

describe('a comparison of models', () => {
  it('names the marks of each figure in CSV, of slices too', () => {
    const rows: Record<string, string>[] = parse(csvOf(compareTable(VIEW)), { columns: true });
    expect(rows.map(({ dataset: name, slice, a_marks, b_marks }) => [name, slice, a_marks, b_marks])).toEqual([
      ['plain', '', '', ''],
      ['marked', '', 'own', 'contaminated'],
      ['plain', 'film', '', ''],
      ['marked', 'film', 'own', 'contaminated'],
    ]);
  });

  it('has the marks before the figures in LaTeX, and a note on each', () => {
    const latex = latexOf(compareTable(VIEW));
    expect(latex).toContain('marked & accuracy & 100 & $^{\\dagger}$60.0 & $^{\\circ}$50.0 &');
    expect(latex).toContain('plain & accuracy & 100 & 60.0 & 50.0 &');
    for (const { name, sentence } of [FIGURE_MARKS.own, FIGURE_MARKS.contaminated]) {
      expect(latex).toContain(`${name}: ${sentence}`);
    }
  });
});
