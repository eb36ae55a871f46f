import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { costSpreads, type MeasuredCost } from './cost-spreads.js';

const cost = (relative: number | null, more: Partial<MeasuredCost> = {}): MeasuredCost => ({
  hardware: 'a',
  spread: relative === null ? null : { relative, measurements: 3 },
  isRough: false,
  ...more,
});

describe('costSpreads', () => {
  it('gives a single measurement the pooled spread of its hardware class', () => {
    const [, , single, other] = costSpreads([cost(0.03), cost(0.04), cost(null), cost(null, { hardware: 'b' })]);
    expect(single).toBeCloseTo(Math.sqrt((0.03 ** 2 + 0.04 ** 2) / 2), 4);
    expect(other).toBe(0);
  });

  it('pools by the number of measurements', () => {
    const many = cost(0.01, { spread: { relative: 0.01, measurements: 9 } });
    const [, , single] = costSpreads([many, cost(0.06), cost(null)]);
    expect(single).toBeCloseTo(Math.sqrt((8 * 0.01 ** 2 + 2 * 0.06 ** 2) / 10), 4);
  });

  it('uses the own spread of a model, and the pooled one as much as two measurements', () => {
    const [steady, noisy] = costSpreads([cost(0), cost(0.1)]);
    expect(steady).toBeGreaterThan(0);
    expect(noisy).toBeGreaterThan(steady!);
    const often = { relative: 0.1, measurements: 1000 };
    expect(costSpreads([cost(0.1, { spread: often }), cost(0)])[0]).toBeCloseTo(0.1, 2);
  });

  it('is twice as wide for a rough measurement, and 0 where nothing was repeated', () => {
    const [, fine, rough] = costSpreads([cost(0.02), cost(null), cost(null, { isRough: true })]);
    expect(rough).toBeCloseTo(2 * fine!, 12);
    expect([...costSpreads([cost(null), cost(null)])]).toEqual([0, 0]);
  });

  it('lies between the own and the pooled spread', () => {
    const spread = fc.double({ min: 0, max: 0.5, noNaN: true });
    fc.assert(
      fc.property(fc.array(spread, { minLength: 1, maxLength: 8 }), (spreads) => {
        const all = costSpreads([...spreads.map((each) => cost(each)), cost(null)]);
        const pooled = all.at(-1)!;
        for (const [place, relative] of spreads.entries()) {
          const own = Math.sqrt(Math.log1p(relative * relative));
          expect(all[place]).toBeGreaterThanOrEqual(Math.min(own, pooled) - 1e-12);
          expect(all[place]).toBeLessThanOrEqual(Math.max(own, pooled) + 1e-12);
        }
      }),
    );
  });
});
