import { describe, expect, it } from '@jest/globals';
import { sliceFields } from './slice-table.js';

const slice = (n: number) => ({ n, metrics: { accuracy: { value: 0.5, low: 0.4, high: 0.6 } } });

describe('sliceFields', () => {
  it('has the largest slice of a field first, and says which are too small to say much', () => {
    const [field] = sliceFields(
      { slices: { topic: { food: slice(12), films: slice(80), books: slice(30) } } },
      'accuracy',
    );

    expect(field!.rows.map(({ value, isSmall }) => [value, isSmall])).toEqual([
      ['films', false],
      ['books', false],
      ['food', true],
    ]);
    expect(field!.spread).toBeUndefined();
  });
});
