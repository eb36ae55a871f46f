import { describe, expect, it } from '@jest/globals';
import { widened } from './board-figures.js';

describe('the scale of a column', () => {
  it('contains references outside of the figures of the models', () => {
    const majority = { value: 33.4, low: 30.2, high: 36.6 };
    const human = { value: 95 };
    expect(widened([87.1, 92.9], [majority])).toEqual([30.2, 92.9]);
    expect(widened([87.1, 92.9], [majority, human])).toEqual([30.2, 95]);
  });

  it('stays where the references are within, or there are none', () => {
    expect(widened([40, 90], [{ value: 50, low: 45, high: 55 }])).toEqual([40, 90]);
    expect(widened([40, 90], [])).toEqual([40, 90]);
  });
});
