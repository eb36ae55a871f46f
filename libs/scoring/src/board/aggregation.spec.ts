import { describe, expect, it } from '@jest/globals';
import { aggregate, aggregateMatrix } from './aggregation.js';
import { bareEstimate, Z95 } from '../estimate.js';

const cell = (value: number, standardError: number) => ({ ...bareEstimate(value), standardError });

describe('aggregate', () => {
  it('is the weighted mean, its error that of independent datasets', () => {
    const { estimate, missing } = aggregate(
      { a: cell(0.5, 0.02), b: cell(0.8, 0.04), c: cell(0.1, 1) },
      { a: 3, b: 1, c: 0 },
    );
    const error = Math.hypot(3 * 0.02, 0.04) / 4;

    expect(missing).toEqual([]);
    expect(estimate!.value).toBeCloseTo(0.575, 15);
    expect(estimate!.standardError).toBeCloseTo(error, 15);
    expect(estimate!.high! - estimate!.low!).toBeCloseTo(2 * Z95 * error, 15);
  });

  it('takes the error from the interval where it was not kept, and stays in the range', () => {
    const { estimate } = aggregate({ a: { value: 0.99, low: 0.95, high: 1 } }, { a: 1 }, [0, 1]);

    expect(estimate).toMatchObject({ value: 0.99, high: 1 });
    expect(estimate!.standardError).toBeCloseTo(0.05 / (2 * Z95), 15);
  });

  it('never takes a missing score for 0', () => {
    expect(aggregate({ a: cell(0.5, 0.1), b: null }, { a: 1, b: 1, c: 1 })).toEqual({
      estimate: null,
      missing: ['b', 'c'],
      estimated: [],
    });
    expect(aggregate({ a: cell(0.5, 0.1) }, { a: 1, b: 0 }).missing).toEqual([]);
  });

  it('adds the error of the fit to that of the other cells, with which a fitted value moves', () => {
    const { estimate, estimated } = aggregate(
      { a: cell(0.5, 0.02), b: { value: 0.9, estimated: true, standardError: 0.1 }, c: cell(0.8, 0.04) },
      { a: 3, b: 5, c: 1 },
    );

    expect(estimated).toEqual(['b']);
    expect(estimate!.value).toBeCloseTo((1.5 + 4.5 + 0.8) / 9, 15);
    expect(estimate!.standardError).toBeCloseTo(Math.hypot(Math.hypot(3 * 0.02, 0.04) / 4, (5 * 0.1) / 9), 15);
  });

  it('has no interval if the error of a fit is unknown, or every value is fitted', () => {
    const fitted = { value: 0.5, estimated: true };

    expect(aggregate({ a: cell(0.5, 0.02), b: fitted }, { a: 1, b: 1 }).estimate).toEqual(bareEstimate(0.5));
    expect(aggregate({ a: { ...fitted, standardError: 0.1 } }, { a: 1 }).estimate).toEqual(bareEstimate(0.5));
  });

  it('has no interval where a cell has none, and nothing where nothing weighs', () => {
    expect(aggregate({ a: bareEstimate(120), b: { value: 80 } }, { a: 1, b: 1 }).estimate).toEqual(bareEstimate(100));
    expect(aggregate({}, {})).toEqual({ estimate: null, missing: [], estimated: [] });
  });
});

describe('aggregateMatrix', () => {
  it('gives the same for many models', () => {
    const values = Float64Array.of(0.5, 0.7, NaN, NaN, 0.4, 0.1);

    const aggregates = aggregateMatrix(values, Float64Array.of(3, 1, 0));

    expect(aggregates[0]).toBeCloseTo(0.55, 15);
    expect(aggregates[1]).toBeNaN();
  });
});
