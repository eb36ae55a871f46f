import { describe, expect, it } from '@jest/globals';
import { sharedBins } from './model-costs.js';

const edge = (place: number): number => Number((2 ** (place / 4)).toPrecision(6));
const bin = (place: number, n: number) => ({ low: edge(place), high: edge(place + 1), n });

describe('sharedBins', () => {
  it('gives shares of both on one scale, with the empty bins between', () => {
    const bins = sharedBins([bin(4, 30), bin(6, 10)], [bin(3, 5), bin(4, 15)]);

    expect(bins.map(({ low }) => Number(low.toPrecision(4)))).toEqual([1.682, 2, 2.378, 2.828]);
    expect(bins.map(({ model }) => model)).toEqual([0, 0.75, 0, 0.25]);
    expect(bins.map(({ floor }) => floor)).toEqual([0.25, 0.75, 0, 0]);
  });

  it('is of the model alone where no floor is known, and of nothing without either', () => {
    expect(sharedBins([bin(-2, 4)], [])).toMatchObject([{ model: 1, floor: 0 }]);
    expect(sharedBins([], [])).toEqual([]);
  });
});
