import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wilson } from '../intervals/wilson.js';
import { roundedCount, roundedEstimate, roundedNumber, roundingStep } from './rounded-estimate.js';

const stepOf = (width: number): number => {
  const { digit, exponent } = roundingStep(width);
  return Number(`${digit}e${exponent}`);
};

/** Estimates of any scale, with the value within their interval. */
const estimates = fc
  .record({
    low: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
    width: fc.double({ min: 1e-6, max: 1e6 }),
    at: share(),
  })
  .filter(({ width }) => Number.isFinite(width))
  .map(({ low, width, at }) => ({ value: low + at * width, low, high: low + width }));

function share() {
  return fc.double({ min: 0, max: 1, noNaN: true });
}

describe('a rounded estimate', () => {
  it('has the digits that its interval supports', () => {
    const accuracy = { value: 0.5731, low: 0.5447, high: 0.601 };
    expect(roundedEstimate(accuracy, 1200)).toEqual({
      value: 0.58,
      low: 0.54,
      high: 0.62,
      standardError: expect.closeTo(0.0204),
      rounded: true,
    });
  });

  it.each([
    [0.04, 0.02],
    [0.05, 0.05],
    [0.1, 0.1],
    [0.0999, 0.05],
    [1, 1],
    [999, 500],
    [1000, 1000],
    [3e-7, 2e-7],
  ])('of half-width %p is a multiple of %p', (width, step) => {
    expect(stepOf(width)).toBe(step);
  });

  it('takes the step of 1/√n without an interval, relative to values above 1', () => {
    expect(roundedEstimate({ value: 0.123456, low: null, high: null }, 400)).toEqual({
      value: 0.1,
      low: null,
      high: null,
      standardError: null,
      rounded: true,
    });
    expect(roundedNumber(0.123456, 400)).toBe(0.1);
    expect(roundedNumber(12_345.6, 10_000)).toBe(12_300);
    expect(roundedEstimate({ value: 1, low: 1, high: 1 }, 100)).toMatchObject({ value: 1, low: 1, high: 1 });
  });

  it('has no more digits than a count of its examples, however narrow its interval', () => {
    const brier = { value: 0.500123456, low: 0.500123454, high: 0.500123458 };
    expect(roundedEstimate(brier, 1000)).toMatchObject({ value: 0.5, low: 0.5, high: 0.5005 });
  });

  it('keeps the ends of the range of a metric', () => {
    for (const n of [5, 30, 1000, 123_456]) {
      for (const value of [0, 1]) {
        const { low, high } = roundedEstimate({ value, ...wilson(value, n) }, n);
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeLessThanOrEqual(1);
      }
    }
    expect(roundedCount(0, 500)).toBe(0);
    expect(roundedCount(500, 500)).toBe(500);
    expect(roundedCount(173, 500)).toBe(170);
    expect(roundedCount(0, 0)).toBe(0);
  });

  it('is idempotent', () => {
    fc.assert(
      fc.property(estimates, (estimate) => {
        const once = roundedEstimate(estimate, 100);
        expect(roundedEstimate(once, 100)).toEqual(once);
      }),
    );
  });

  it('has an interval that holds the exact one and its own value', () => {
    fc.assert(
      fc.property(estimates, (estimate) => {
        const { value, low, high } = roundedEstimate(estimate, 100);
        const slack = 1e-9 * Math.max(1, Math.abs(estimate.low), Math.abs(estimate.high));
        expect(low).toBeLessThanOrEqual(estimate.low + slack);
        expect(high).toBeGreaterThanOrEqual(estimate.high - slack);
        expect(value).toBeGreaterThanOrEqual(low - slack);
        expect(value).toBeLessThanOrEqual(high + slack);
        expect(Math.abs(value - estimate.value)).toBeLessThanOrEqual(
          Math.max(
            (estimate.high - estimate.low) / 4,
            Math.max(Math.abs(estimate.low), Math.abs(estimate.high)) / 200,
          ) + slack,
        );
      }),
    );
  });

  it('keeps the order of values with intervals of one width', () => {
    fc.assert(
      fc.property(share(), share(), fc.double({ min: 0.001, max: 0.5, noNaN: true }), (one, other, half) => {
        const of = (value: number) => roundedEstimate({ value, low: value - half, high: value + half }, 100).value;
        expect(of(Math.min(one, other))).toBeLessThanOrEqual(of(Math.max(one, other)));
      }),
    );
  });
});
