import { seededRng } from '@assay/kernel';
import type { DatasetRow } from '@assay/tasks/examples';
import { describe, expect, it } from '@jest/globals';
import { worseWhenTimed } from './timed-accuracy.js';

const ROWS = 2_000;
const TIMED = 500;

/** Rows with the labels a and b in turn. */
const rowsOf = (instance: (index: number) => string): DatasetRow[] =>
  Array.from({ length: ROWS }, (_, index) => ({
    index,
    id: String(index),
    instance: instance(index),
    gold: [index % 2 === 0 ? 'a' : 'b'],
    cluster: null,
    slices: {},
    matches: {},
    variant: null,
  }));

describe('the accuracy on timed rows', () => {
  const timed = new Set(Array.from({ length: TIMED }, (_, place) => place * 3));
  /** Answers that are right with the given probability, except those that `forced` returns. */
  const answersTo = (
    rows: readonly DatasetRow[],
    right: number,
    seed: string,
    forced?: (row: DatasetRow) => string | null,
  ) => {
    const rng = seededRng(seed);
    return rows.map((row) => {
      const isRight = rng.next() < right;
      const text = forced?.(row) ?? (isRight ? row.gold[0]! : 'c');
      return { text };
    });
  };

  it('is not worse for an honest model', () => {
    const rows = rowsOf(String);
    for (let trial = 0; trial < 200; trial++) {
      for (const right of [0.02, 0.5, 0.9, 1])
        expect(worseWhenTimed(rows, answersTo(rows, right, `${trial}`), timed)).toBeNull();
    }
  });

  it('is worse for a model that answers single requests with a constant', () => {
    const rows = rowsOf(String);
    const forged = answersTo(rows, 0.8, 'x', ({ index }) => (timed.has(index) ? 'a' : null));

    const found = worseWhenTimed(rows, forged, timed);

    expect(found?.timed).toBeCloseTo(0.5, 1);
    expect(found?.others).toBeCloseTo(0.8, 1);
  });

  it('counts an easy input that occurs often only once', () => {
    // a third of the rows are the same input, and one of them is timed
    const rows = rowsOf((index) => (index % 3 === 1 ? 'ok' : String(index)));
    const answers = answersTo(rows, 0.5, 'x', (row) => (row.instance === 'ok' ? row.gold[0]! : null));

    expect(worseWhenTimed(rows, answers, timed)).toBeNull();
  });

  it('says nothing where no row was timed, or all were', () => {
    const rows = rowsOf(String);
    expect(worseWhenTimed(rows, answersTo(rows, 0.5, 'x'), new Set())).toBeNull();
    expect(worseWhenTimed(rows, answersTo(rows, 0.5, 'x'), new Set(rows.map(({ index }) => index)))).toBeNull();
  });
});
