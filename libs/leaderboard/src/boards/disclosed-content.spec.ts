import { describe, expect, it } from '@jest/globals';
import type { BoardContent } from './board-content.js';
import { disclosedContent } from './disclosed-content.js';

const accuracy = { value: 0.8009478673, low: 0.7418302, high: 0.8492011, standardError: 0.0274901 };
const memory = { value: 1.2345678, low: null, high: null };
const model = {
  id: 'a',
  cells: { open: { accuracy, memory }, hidden: { accuracy, memory } },
  resamples: { open: ['1'], hidden: ['2'] },
};
const content = (hidden: object) =>
  ({
    task: 'moods',
    datasets: [
      { name: 'open', examples: 211 },
      { name: 'hidden', examples: 211, ...hidden },
    ],
    models: [model],
  }) as unknown as BoardContent;

describe('the content of a board as everybody may see it', () => {
  it('has rounded scores and no resampled values on the datasets whose scores are rounded', () => {
    const rounded = { value: 0.8, low: 0.7, high: 0.85, standardError: expect.any(Number), rounded: true };
    expect(disclosedContent(content({ rounded: true })).models).toEqual([
      {
        id: 'a',
        cells: { open: { accuracy, memory }, hidden: { accuracy: rounded, memory } },
        resamples: { open: ['1'] },
      },
    ]);
  });

  it('is the same object if nothing is rounded', () => {
    const exact = content({});
    expect(disclosedContent(exact)).toBe(exact);
  });
});
