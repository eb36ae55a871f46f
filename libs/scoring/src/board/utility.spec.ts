import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { utilityRule, type BoardMetric } from './utility.js';
import { prepareBoard } from '../../../../test/factories/models/ranked-rows.js';

const toUtility = (metric: BoardMetric, value: number): number => utilityRule(metric).utilityOf(value);

const curve = [
  [0.5, 0],
  [0.8, 30],
  [0.9, 90],
] as const;
const accuracy: BoardMetric = { name: 'accuracy', unit: 'ratio', direction: 'higher', curve };

it('exchanges CPU time in milliseconds, of which less is better', () => {
  const { utilityOf, slopeAt } = utilityRule({ name: 'cpu_time', unit: 's/example', direction: 'lower' });
  expect(utilityOf(0.005)).toBeCloseTo(-5, 9);
  expect(slopeAt(0.005)).toBe(1000);
});

describe('a utility by curve', () => {
  it.each([
    [0.1, 0],
    [0.5, 0],
    [0.65, 15],
    [0.8, 30],
    [0.85, 60],
    [0.9, 90],
    [1, 90],
  ])('of %d is %d', (value, utility) => {
    expect(toUtility(accuracy, value)).toBeCloseTo(utility, 9);
  });

  it('may fall where less is better, and knows no missing value', () => {
    const latency: BoardMetric = {
      name: 'latency_p95',
      unit: 'ms',
      direction: 'lower',
      curve: [
        [10, 100],
        [200, 0],
      ],
    };

    expect(toUtility(latency, 105)).toBeCloseTo(50, 9);
    expect(toUtility(latency, NaN)).toBeNaN();
  });

  it('lies between the utilities of its points and does not fall where they do not', () => {
    const value = fc.double({ min: -1, max: 2, noNaN: true });
    fc.assert(
      fc.property(value, value, (a, b) => {
        const [low, high] = [toUtility(accuracy, Math.min(a, b)), toUtility(accuracy, Math.max(a, b))];
        return 0 <= low && low <= high && high <= 90;
      }),
    );
  });

  it.each([
    [0.65, 2],
    [0.85, 12],
    [0.8, 12],
    [0.5, 2],
    [0.2, 0],
  ])('turns a standard error of 0.02 at %d into %d points, by its slope there', (value, points) => {
    const rows = [{ id: 'a', metrics: { accuracy: value }, standardErrors: { accuracy: 0.02 } }];

    expect(prepareBoard(rows, [accuracy], 'accuracy').errors[0]).toBeCloseTo(points, 9);
  });
});
