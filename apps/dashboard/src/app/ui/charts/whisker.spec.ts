import { describe, expect, it } from '@jest/globals';
import { columnScale, differenceScale } from './whisker.js';

describe('columnScale', () => {
  it('holds every interval between round ends', () => {
    expect(
      columnScale([
        { value: 0.57, low: 0.553, high: 0.587 },
        { value: 0.91, low: 0.85, high: 0.95 },
      ]),
    ).toEqual([0.5, 1]);
    expect(columnScale([{ value: 118 }, { value: 12400 }])).toEqual([0, 15_000]);
  });

  it('has some width around one value without an interval', () => {
    const [from, to] = columnScale([{ value: 0.4 }]);
    expect(from).toBeLessThanOrEqual(0.4);
    expect(to).toBeGreaterThanOrEqual(0.4);
    expect(columnScale([])).toEqual([0, 1]);
  });
});

describe('differenceScale', () => {
  it('reaches as far to the left of 0 as to the right', () => {
    expect(
      differenceScale([
        { value: -0.09, low: -0.17, high: -0.01 },
        { value: 0.03, low: -0.02, high: 0.08 },
      ]),
    ).toEqual([-0.2, 0.2]);
  });

  it('has some width where nothing differs', () => {
    const [from, to] = differenceScale([{ value: 0 }]);
    expect(from).toBe(-to);
    expect(to).toBeGreaterThan(0);
  });
});
