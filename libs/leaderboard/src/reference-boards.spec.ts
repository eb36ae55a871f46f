import { describe, expect, it } from '@jest/globals';
import { beatsMajority } from './reference-boards.js';

describe('beatsMajority', () => {
  it('asks the whole interval to be better, in the direction of the metric', () => {
    const estimate = { value: 0.5, low: 0.4, high: 0.6 };

    expect([0.39, 0.41].map((majority) => beatsMajority('accuracy', estimate, majority))).toEqual([true, false]);
    expect([0.61, 0.59].map((majority) => beatsMajority('brier', estimate, majority))).toEqual([true, false]);
  });

  it('asks the value alone where there is no interval', () => {
    const estimate = { value: 0.5, low: null, high: null };

    expect(beatsMajority('macro_f1', estimate, 0.49)).toBe(true);
    expect(beatsMajority('log_loss', estimate, 0.49)).toBe(false);
  });
});
