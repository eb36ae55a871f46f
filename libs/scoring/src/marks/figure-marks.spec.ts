import { describe, expect, it } from '@jest/globals';
import { aggregateMarks, boardCellMarks, costMarks, datasetMarks, marksLegend, markText } from './figure-marks.js';

const model = { own: ['r3'], exposure: { r1: 'clean', r2: 'exposed', r3: 'exposed' } };

describe('marks of figures', () => {
  it('mark a dataset that was collected against the model or public before it', () => {
    expect(datasetMarks(model, 'r1')).toEqual([]);
    expect(datasetMarks(model, 'r2')).toEqual(['contaminated']);
    expect(datasetMarks(model, 'r3')).toEqual(['own', 'contaminated']);
    expect(boardCellMarks(model, 'r3', { estimated: true })).toEqual(['own', 'estimated', 'contaminated']);
    expect(datasetMarks({}, 'r3')).toEqual([]);
  });

  it('mark an aggregate by the datasets that weigh: estimated in place of own', () => {
    expect(aggregateMarks(model, ['r1'], {})).toEqual([]);
    expect(aggregateMarks(model, ['r1', 'r3'], { estimated: true })).toEqual(['estimated', 'contaminated']);
    expect(aggregateMarks(model, ['r1', 'r3'], {})).toEqual(['own', 'contaminated']);
  });

  it('mark a cost that was measured under contention, or on few examples', () => {
    expect(costMarks({ contended: true })).toEqual(['contended']);
    expect(costMarks({ contended: true, short: true })).toEqual(['contended', 'short']);
    expect(costMarks({})).toEqual([]);
  });

  it('mark a score that is rounded', () => {
    expect(datasetMarks(model, 'r2', { rounded: true })).toEqual(['contaminated', 'rounded']);
    expect(aggregateMarks(model, ['r1'], { rounded: true })).toEqual(['rounded']);
  });

  it('are written in one order, with a sentence each', () => {
    expect(markText(['estimated', 'contaminated'])).toBe('≈°');
    expect(marksLegend(['contaminated', 'own', 'contaminated'])).toEqual([
      expect.stringMatching(/^† own round: The examples were collected against this very model/),
      '° contaminated: Test data was public before submission.',
    ]);
  });
});
