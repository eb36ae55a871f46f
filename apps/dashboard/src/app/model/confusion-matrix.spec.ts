import { describe, expect, it } from '@jest/globals';
import { confusionCells } from './confusion-matrix.js';

describe('confusionCells', () => {
  it('has the share of each answer among those of its gold label', () => {
    const rows = confusionCells({
      labels: ['yes', 'no'],
      counts: [
        [30, 10, 0],
        [null, 40, 5],
      ],
    });

    expect(rows[0]).toEqual({
      gold: 'yes',
      bad: 0,
      cells: [
        { answer: 'yes', n: 30, share: 0.75, isRight: true },
        { answer: 'no', n: 10, share: 0.25, isRight: false },
      ],
    });
    expect(rows[1]!.cells.map(({ n, share }) => [n, share])).toEqual([
      [null, 0],
      [40, 40 / 45],
    ]);
    expect(rows[1]!.bad).toBe(5);
  });
});
